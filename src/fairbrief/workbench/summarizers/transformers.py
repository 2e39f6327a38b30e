"""Summaries by a model on this machine, through the transformers library."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fairbrief.errors import BackendError, DataError, RequestError
from fairbrief.pretrained import placement
from fairbrief.specs import spell
from fairbrief.text.counted import counted
from fairbrief.types import Document, Record, Summary
from fairbrief.workbench.summarizers import writers
from fairbrief.workbench.summarizers.prompts import Asked, Prompt, fill, find, finished, wished
from fairbrief.workbench.summarizers.writers import Writer, parts, truncated

VERSION = 1
AT_ONCE = 256
"""Records that are held to sort them by length."""
LONG = ("truncate", "windows", "error")
Task = tuple[str, Record, int]


@dataclass(frozen=True, slots=True)
class Draft:
    """A record as the model will see it: the text that is sent, its length, and what was done to make it fit."""

    key: str
    record: Record
    sample: int
    text: str
    pieces: int
    wording: int
    long: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Transformers:
    """A model of the hub or a local folder: an encoder-decoder (BART, PEGASUS, T5) or a decoder.

    A decoder that has a chat template is asked through it; otherwise the prompt is the text that it goes on
    from. ``prompt`` is ``source`` (the documents alone) for encoder-decoders unless it is given, ``plain``
    for decoders; the settings of the prompt are those of `Chat`. ``temperature`` 0 takes the most
    probable piece each time (or ``beams``); above, each sample is drawn with a seed of its own, made from
    ``seed``, the record and the sample, so that what stands beside it does not matter.

    ``long`` says what happens where prompt and documents are more than the model takes. ``truncate``
    cuts the longest documents to a common length, and leaves the prompt whole. ``windows`` summarizes
    parts that fit, then their summaries. ``error`` stops. ``made["long"]`` tells, per summary.

    Batches are made of texts of like length; greedy answers are the same in any batch, but for ties
    that the floating point breaks.

    Errors:  DataError for a record that cannot be made to fit; BackendError for a folder that holds no
             such model; MissingExtra without transformers and torch.
    """

    name: ClassVar[str] = "transformers"
    model: str
    prompt: str = ""
    over: str = ""
    instruction: str = "none"
    role: str = "none"
    words: int | None = None
    sentences: int | None = None
    focus: str = ""
    draw: int = 0
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    beams: int = 1
    max_new_tokens: int = 256
    seed: int = 0
    long: str = "truncate"
    system: str = ""
    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.long not in LONG:
            raise ValueError(f"long={self.long} is none of {', '.join(LONG)}")
        if self.dtype not in ("auto", *placement.DTYPES):
            raise ValueError(f"dtype={self.dtype} is none of auto, {', '.join(placement.DTYPES)}")
        if min(self.samples, self.beams, self.max_new_tokens) < 1 or self.temperature < 0:
            raise ValueError(
                "samples, beams and max_new_tokens are 1 or more, and temperature is not negative"
            )
        if self.samples > 1 and self.temperature == 0:
            raise ValueError("samples differ only at a temperature above 0")
        if self.long == "windows" and (self.instruction != "none" or self.over):
            raise ValueError(
                "long=windows loses the groups that the prompt speaks of: use long=truncate, or error"
            )

    __repr__ = spell

    @property
    def systems(self) -> tuple[str, ...]:
        """The system's name, or the names of its samples."""
        name = self.system or self.model.rstrip("/")
        return (name,) if self.samples == 1 else tuple(f"{name}#{i}" for i in range(1, self.samples + 1))

    def keys(self, record: Record) -> Sequence[str]:
        """A hash per sample of all that decides its text: record, prompt, model and revision, settings."""
        asked = fill(self._prompt(), record, wished(self))
        told: list[Any] = [VERSION, record.id, asked.system, asked.user, writers.identity(self.model)]
        told += [self.temperature, self.top_p, self.beams, self.max_new_tokens, self.seed, self.long]
        told += [self.sentences, self.dtype]
        return [
            hashlib.sha256(
                json.dumps([*told, self.systems[i], i]).encode("utf-8", "surrogatepass")
            ).hexdigest()[:32]
            for i in range(self.samples)
        ]

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """The summaries of each record, one per sample, in order."""
        tasks = ((f"{i}", record, s) for i, record in enumerate(records) for s in range(self.samples))
        while held := list(itertools.islice(tasks, AT_ONCE)):
            found = {
                (key, summary.system): summary
                for batch in self.drafts(held)
                for key, summary in batch
            }  # fmt: skip
            yield from (found[key, self.systems[sample]] for key, _, sample in held)

    def drafts(self, tasks: Iterable[Task]) -> Iterator[list[tuple[str, Summary]]]:
        """Summaries under their tasks' keys, a batch of like length at a time."""
        waiting = iter(tasks)
        while held := list(itertools.islice(waiting, AT_ONCE)):
            writer = self._writer()
            prompt = self._prompt()
            ready = [self._fitted(task, writer, prompt) for task in held]
            ready.sort(key=lambda draft: -draft.pieces)
            for batch in self._batches(ready, writer):
                texts = self._written(batch, writer)
                yield [
                    (draft.key, self._summary(draft, text, prompt))
                    for draft, text in zip(batch, texts, strict=True)
                ]

    # -------------------------------------------------------------------------- what is sent

    def _writer(self) -> Writer:
        return writers.load(self.model, self.device, self.dtype)

    def _prompt(self) -> Prompt:
        return find(self.prompt or ("source" if writers.is_encoder_decoder(self.model) else "plain"))

    def _room(self, writer: Writer) -> int | None:
        """Word pieces that may be sent: a decoder's own come out of the same number."""
        if writer.limit is None or writer.is_encoder_decoder:
            return writer.limit
        room = writer.limit - self.max_new_tokens
        if room < 1:
            raise RequestError(
                f"{self.model} takes {writer.limit} word pieces in all; max_new_tokens={self.max_new_tokens} leaves "
                "none to read. Lower it."
            )
        return room

    def _fitted(self, task: Task, writer: Writer, prompt: Prompt) -> Draft:
        """The task's record as it will be sent, made to fit as ``long`` says."""
        key, record, sample = task
        room = self._room(writer)

        def fits(candidate: Record) -> bool:
            return room is None or self._pieces(self._sent(candidate, writer, prompt)[0], writer) <= room

        long = ""
        if not fits(record):
            if self.long == "error":
                found = self._pieces(self._sent(record, writer, prompt)[0], writer)
                raise DataError(
                    f"{record.where or 'input'} (id '{record.id}'): found {found:,} word pieces, wanted at most {room:,} "
                    f"for {self.model}. Shorten the record, or say long=truncate or long=windows."
                )
            if self.long == "windows":
                windows = parts(record, fits)
                record, long = (
                    self._of_windows(record, windows, writer, prompt),
                    counted(len(windows), "window"),
                )
            if not fits(record):
                record, cut = truncated(record, fits)
                long = f"{long}{', ' if long else ''}{counted(cut, 'word')} cut off"
        text, asked = self._sent(record, writer, prompt)
        return Draft(key, task[1], sample, text, self._pieces(text, writer), asked.wording, long)

    def _of_windows(self, record: Record, windows: list[Record], writer: Writer, prompt: Prompt) -> Record:
        """A record whose documents are the summaries of the windows."""
        drafts = []
        for i, window in enumerate(windows):
            text, asked = self._sent(window, writer, prompt)
            drafts.append(Draft(f"{i}", window, 0, text, self._pieces(text, writer), asked.wording))
        drafts.sort(key=lambda draft: -draft.pieces)
        written = {
            int(draft.key): text
            for batch in self._batches(drafts, writer)
            for draft, text in zip(batch, self._written(batch, writer), strict=True)
        }
        documents = tuple(Document(written[i]) for i in range(len(windows)) if written[i])
        return replace(record, documents=documents or (Document(""),), entities=())

    def _sent(self, record: Record, writer: Writer, prompt: Prompt) -> tuple[str, Asked]:
        """The text that the model reads, template and all."""
        asked = fill(prompt, record, wished(self))
        if not writer.has_template:
            return "\n\n".join(part for part in (asked.system, asked.user) if part), asked
        messages = [{"role": "user", "content": asked.user}]
        if asked.system:
            messages.insert(0, {"role": "system", "content": asked.system})
        return _templated(writer, messages), asked

    def _pieces(self, text: str, writer: Writer) -> int:
        return len(writer.tokenizer(text, add_special_tokens=not writer.has_template)["input_ids"])

    # --------------------------------------------------------------------------- what is written

    def _batches(self, drafts: Sequence[Draft], writer: Writer) -> Iterator[list[Draft]]:
        """Drafts, longest first, in batches of at most ``batch_tokens`` pieces, those to be written included.

        What is drawn at random goes alone: one generator serves a batch.
        """
        budget = self.batch_tokens or placement.automatic_tokens(writer.device)
        start = 0
        while start < len(drafts):
            size = drafts[start].pieces + self.max_new_tokens
            count = 1 if self.temperature else max(1, budget // size)
            yield list(drafts[start : start + count])
            start += count

    def _written(self, drafts: Sequence[Draft], writer: Writer) -> list[str]:
        """What the model writes for a batch; a batch that does not fit in memory is halved."""
        try:
            return self._generate(drafts, writer)
        except (RuntimeError, MemoryError) as error:
            if "out of memory" not in str(error).lower() and not isinstance(error, MemoryError):
                raise
            if len(drafts) == 1:
                raise BackendError(
                    f"Out of memory with a single text of {drafts[0].pieces} word pieces. "
                    "Use a smaller model, dtype=bf16, or another device."
                ) from error
        half = len(drafts) // 2
        return [*self._written(drafts[:half], writer), *self._written(drafts[half:], writer)]

    def _generate(self, drafts: Sequence[Draft], writer: Writer) -> list[str]:
        torch = writers.library("torch")
        given = writer.tokenizer(
            [draft.text for draft in drafts],
            padding=True,
            return_tensors="pt",
            return_token_type_ids=False,
            add_special_tokens=not writer.has_template,
        ).to(writer.device)
        with torch.inference_mode(), torch.random.fork_rng(enabled=self.temperature > 0):
            if self.temperature:
                torch.manual_seed(self._seed(drafts[0]))
            ids = writer.model.generate(**given, generation_config=self._generation(writer))
        if not writer.is_encoder_decoder:
            ids = ids[:, given["input_ids"].shape[1] :]
        return [text.strip() for text in writer.tokenizer.batch_decode(ids, skip_special_tokens=True)]

    def _generation(self, writer: Writer) -> Any:
        """The model's own generation settings, with ours in place of its way to choose."""
        config = writer.model.generation_config.__class__.from_dict(
            {
                **writer.model.generation_config.to_dict(),
                "do_sample": self.temperature > 0,
                "temperature": self.temperature or None,
                "top_p": self.top_p if self.temperature else None,
                "top_k": None,
                "num_beams": self.beams,
                "max_new_tokens": self.max_new_tokens,
                "max_length": None,
                "pad_token_id": writer.tokenizer.pad_token_id,
            }
        )
        if self.beams == 1:
            config.early_stopping = None
            config.length_penalty = None
        return config

    def _seed(self, draft: Draft) -> int:
        told = f"{self.seed}\x1f{draft.record.id}\x1f{draft.sample}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(told).digest()[:4], "big")

    def _summary(self, draft: Draft, text: str, prompt: Prompt) -> Summary:
        wanted = self.sentences if self.sentences is not None else prompt.sentences
        final, cut = finished(text, wanted, is_list=prompt.answer == "list")
        made: Mapping[str, str] = {
            "model": writers.identity(self.model),
            "prompt": prompt.name,
            "prompt_sha": prompt.sha,
            "wording": str(draft.wording + 1),
            **wished(self).told(),
            **({"temperature": f"{self.temperature}", "seed": str(self.seed)} if self.temperature else {}),
            **({"sample": str(draft.sample + 1)} if self.samples > 1 else {}),
            **({"long": draft.long} if draft.long else {}),
            **({"cut": cut} if cut else {}),
        }
        reason = "" if final else "empty summary"
        return Summary(draft.record.id, self.systems[draft.sample], final, reason=reason, made=made)


def _templated(writer: Writer, messages: list[dict[str, str]]) -> str:
    """The conversation in the model's own form; a template without a system's turn gets it in the user's."""
    jinja = writers.library("jinja2")

    def rendered(turns: list[dict[str, str]]) -> str:
        return str(writer.tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))

    try:
        return rendered(messages)
    except jinja.TemplateError:
        if len(messages) == 1:
            raise
        return rendered([{"role": "user", "content": "\n\n".join(turn["content"] for turn in messages)}])
