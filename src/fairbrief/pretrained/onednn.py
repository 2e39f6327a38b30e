"""A linear layer on oneDNN. Imports torch, so it is imported where a model is at hand."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class OneDnnLinear(nn.Module):
    """x Wᵀ + b in single precision, with W laid out for oneDNN once.

    The operators are those that torch's own compiler emits. The public way (`torch.utils.mkldnn`) lays W, x and
    the result out anew in every call, which on batches of few pieces eats up what oneDNN gains.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach())
        self.bias = layer.bias

    @property
    def weight(self) -> Tensor:
        """W as it was given, laid out anew: some models read a layer's weights, if only their dtype."""
        dense: Tensor = self.packed.to_dense()
        return dense

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")
        return product
