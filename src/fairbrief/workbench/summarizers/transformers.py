"""Summaries by a local model, through the transformers library."""

from __future__ import annotations

import hashlib
import itertools
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from fairbrief import pretrained
from fairbrief.chat.journal import key_of
from fairbrief.errors import DataError, RequestError
from fairbrief.measures.bases import Count
from fairbrief.pretrained import loading
from fairbrief.scorers import models
from fairbrief.scorers.models import Resident
from fairbrief.scorers.pieces import run_batches
from fairbrief.text.counted import counted
from fairbrief.types import Integers, Record
from fairbrief.workbench.summarizers.prompts import Asked, Prompt, Prompted, Task, fill, find

VERSION = 2
AT_ONCE = 256
"""Maximum number of records in memory for writing in any order."""


class Draft(NamedTuple):
    """A record as the model gets it: the text, its length, and how it was shortened to fit."""

    task: Task
    text: str
    pieces: int
    asked: Asked
    long: str = ""


class Transformers(Prompted):
    """A local model, from the hub or a folder: an encoder-decoder (BART, PEGASUS, T5) or a decoder.

    A decoder with a chat template is asked through it; any other continues the prompt. The default ``prompt`` is
    ``source`` (only the documents) for encoder-decoders and ``plain`` for decoders; the prompt's settings are those
    of `Chat`. ``temperature`` 0 takes the most probable piece each time (or uses ``beams``). Above 0, each sample has
    its own seed, made from ``seed``, the record and the sample, so other records do not affect it.

    If prompt and documents exceed the model's input, the longest documents are cut to a common length, and
    ``made["long"]`` is the number of words cut off. Batches contain texts of similar length; greedy answers are the same
    in any batch, except for ties in floating point.

    Errors:     DataError for a record that cannot be made to fit; BackendError for a folder without such a model;
                MissingExtra without transformers and torch.
    """

    name: ClassVar[str] = "transformers"
    model: str
    prompt: str = ""
    temperature: Annotated[float, "[0, inf)"] = 0.0
    top_p: Annotated[float, "[0, 1]"] = 1.0
    beams: Count = 1
    max_new_tokens: Count = 256
    seed: int = 0
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    batch_tokens: Annotated[int | None, "[1, inf)"] = None

    def wanted(self, record: Record) -> Iterable[Task]:
        """One summary per sample. Its key is a hash of everything that determines the text: record, prompt, model and revision,
        settings.
        """
        asked = fill(self._prompt(), record, self)
        decoding = (self.temperature, self.top_p, self.beams, self.max_new_tokens, self.seed, self.dtype)
        sent = (VERSION, record.id, asked.system, asked.user, identity(self.model), decoding, self.sentences)
        return [Task(key_of(*sent, system, i), record, i) for i, system in enumerate(self.systems)]

    def answers(self, wanted: Iterable[Task], _: object) -> Iterator[list[tuple[str, Mapping[str, Any]]]]:
        """Summaries under their keys, in batches of similar length."""
        waiting = iter(wanted)
        while chunk := list(itertools.islice(waiting, AT_ONCE)):
            placement = pretrained.place(self.device, self.dtype, self.batch_tokens or "auto", self.name)
            writer, prompt = load_writer(self.model, placement), self._prompt()
            ready = [self._fitted(task, writer, prompt) for task in chunk]
            sizes = [draft.pieces + self.max_new_tokens for draft in ready]
            # Sampled summaries are written singly, because one generator serves a batch.
            budget = 0 if self.temperature else placement.batch_tokens
            for batch, texts in run_batches(sizes, partial(self._generate, ready, writer), budget):
                written = zip((ready[i] for i in batch.tolist()), texts, strict=True)
                yield [(draft.task.key, self._summary(draft, text)) for draft, text in written]

    # -------------------------------------------------------------------------- inputs

    def _prompt(self) -> Prompt:
        return find(self.prompt or ("source" if configuration(self.model).is_encoder_decoder else "plain"))

    def _fitted(self, task: Task, writer: Resident, prompt: Prompt) -> Draft:
        """The task's record as it will be sent, shortened to fit."""
        # The output of a decoder uses the same limit.
        room = writer.limit - (0 if writer.model.config.is_encoder_decoder else self.max_new_tokens)
        if room < 1:
            limit = f"{self.model} takes {writer.limit} word pieces in all"
            raise RequestError(
                f"{limit}, of which max_new_tokens={self.max_new_tokens} leaves none. Lower it."
            )
        draft = partial(self._draft, task, writer, prompt)
        whole = draft(task.record)
        if whole.pieces <= room:
            return whole
        short, cut = truncated(task.record, lambda record: draft(record).pieces <= room)
        return draft(short)._replace(long=f"{counted(cut, 'word')} cut off")

    def _draft(self, task: Task, writer: Resident, prompt: Prompt, record: Record) -> Draft:
        """A record as the model gets it, in its template."""
        asked = fill(prompt, record, self)
        messages = [{"role": role, "content": text} for role, text in asked.messages]
        text = _templated(writer, messages) if has_template(writer) else _joined(messages)
        pieces = writer.tokenizer(text, add_special_tokens=not has_template(writer))["input_ids"]
        return Draft(task, text, len(pieces), asked)

    # --------------------------------------------------------------------------- outputs

    def _generate(self, ready: Sequence[Draft], writer: Resident, batch: Integers) -> list[str]:
        """The model's outputs for the drafts with these indices."""
        torch = library("torch")
        drafts = [ready[i] for i in batch.tolist()]
        form = {"padding": True, "return_tensors": "pt", "return_token_type_ids": False}
        texts = [draft.text for draft in drafts]
        given = writer.tokenizer(texts, add_special_tokens=not has_template(writer), **form).to(writer.device)
        usual = writer.model.generation_config
        changed: dict[str, Any] = {
            "do_sample": self.temperature > 0,
            "temperature": self.temperature or None,
            "top_p": self.top_p if self.temperature else None,
            "top_k": None,
            "num_beams": self.beams,
            "max_new_tokens": self.max_new_tokens,
            "max_length": None,
            "pad_token_id": writer.tokenizer.pad_token_id,
            **({"early_stopping": None, "length_penalty": None} if self.beams == 1 else {}),
        }
        settings = usual.__class__.from_dict({**usual.to_dict(), **changed})
        with torch.inference_mode(), torch.random.fork_rng(enabled=self.temperature > 0):
            if self.temperature:
                place = f"{self.seed}\x1f{drafts[0].task.record.id}\x1f{drafts[0].task.sample}"
                digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).digest()
                torch.manual_seed(int.from_bytes(digest[:4], "big"))
            ids = writer.model.generate(**given, generation_config=settings)
        if not writer.model.config.is_encoder_decoder:
            ids = ids[:, given["input_ids"].shape[1] :]
        return [text.strip() for text in writer.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def _summary(self, draft: Draft, text: str) -> Mapping[str, Any]:
        """The fields of the summary that the model wrote."""
        _, record, sample = draft.task
        is_sampled = self.temperature > 0
        sampling: dict[str, Any] = {"temperature": self.temperature, "seed": self.seed} if is_sampled else {}
        model = identity(self.model)
        return self.summary(record, sample, draft.asked, model, text, **sampling, long=draft.long)


def has_template(writer: Resident) -> bool:
    """Whether the model was trained for conversation."""
    return bool(getattr(writer.tokenizer, "chat_template", None))


def _templated(writer: Resident, messages: list[dict[str, str]]) -> str:
    """The conversation in the model's template; a template without a system role gets that text in the user's turn."""
    render = partial(writer.tokenizer.apply_chat_template, add_generation_prompt=True, tokenize=False)
    try:
        return str(render(messages))
    except library("jinja2").TemplateError:
        if len(messages) == 1:
            raise
        return str(render([{"role": "user", "content": _joined(messages)}]))


def _joined(messages: list[dict[str, str]]) -> str:
    return "\n\n".join(message["content"] for message in messages)


# --------------------------------------------------------------------------- models for writing, loaded once


READER = "transformers"
RESIDENT = 2
"""Maximum number of models in memory."""
library = partial(pretrained.library, name="transformers:MODEL")
"""A heavy library, imported on first use."""


@lru_cache(maxsize=RESIDENT)
def identity(model: str) -> str:
    """The model and its revision: the hub's commit, or a hash of the folder's files. Determined once."""
    return pretrained.find(model, READER).identity


@lru_cache(maxsize=RESIDENT)
def configuration(model: str) -> Any:
    """The model's configuration, without its weights."""
    folder = pretrained.find(model, READER).folder
    with loading(folder, READER):
        return library("transformers").AutoConfig.from_pretrained(folder, local_files_only=True)


@lru_cache(maxsize=RESIDENT)
def load_writer(model: str, placement: pretrained.Placement) -> Resident:
    """The model on a device, ready to write. Its limit includes a decoder's output."""
    config = configuration(model)
    kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
    writer = models.loaded(kind, pretrained.find(model, READER), placement, READER)
    tokenizer = writer.tokenizer
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    # A decoder continues its input, so its padding is on the left; an encoder's is on the right.
    tokenizer.padding_side = "right" if config.is_encoder_decoder else "left"
    positions = getattr(config, "n_positions", None) or sys.maxsize
    return writer._replace(limit=min(positions, models.limit(tokenizer, config, sys.maxsize)))


def truncated(record: Record, fits: Callable[[Record], bool]) -> tuple[Record, int]:
    """The record with its longest documents cut to one common length, and the number of removed words.

    The common length is the largest number of words per document with which the record fits, so short documents stay
    whole, wherever they are in the record. Raises DataError if not even one word of each fits.
    """
    words = [document.text.split() for document in record.documents]

    def capped(most: int) -> Record:
        documents = tuple(
            document if len(w) <= most else replace(document, text=" ".join(w[:most]))
            for document, w in zip(record.documents, words, strict=True)
        )
        return replace(record, documents=documents, entities=())

    longest = max(map(len, words), default=0)
    most = bisect_left(range(1, longest + 1), 1, key=lambda most: not fits(capped(most)))
    if not most:
        what = f"the prompt and one word of each of {counted(len(words), 'document')}"
        raise DataError(f"{record.place}: {what} are more than the model takes. Use fewer, or another model.")
    return capped(most), sum(max(0, len(w) - most) for w in words)
