#!/usr/bin/env python3
"""A client of Stancebook, an evidence store for trading decisions made by software agents.

One file, standard library only, Python 3.9 or later. The same behaviour as the client for TypeScript.

    from stancebook import Stancebook

    book = Stancebook("https://book.example")      # the key: STANCEBOOK_API_KEY, or the file of `stancebook login`
    reply = book.submit({...})                     # sent again after a lost reply, and yet one decision
    state = book.wait_for_outcome(reply["record_id"])

On the command line: `python3 stancebook.py --help`; the package installs the same commands as `stancebook`.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import email.utils
import getpass
import hashlib
import hmac
import http.client
import ipaddress
import itertools
import json
import os
import random
import re
import socket
import ssl
import statistics
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from email.message import Message
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Tuple, Type, Union

__all__ = [
    "ApiError", "AuthFailedError", "ConnectionFailedError", "InputInvalidError", "InternalError", "NotFoundError",
    "OutcomePendingError", "OutcomeUnavailableError", "QuotaExceededError", "RetryableError", "ServiceDegradedError",
    "Stancebook", "StancebookError", "UsageError", "WebhookError", "average_uniqueness", "benjamini_hochberg",
    "cautions_of", "disjoint_windows", "input_digests", "permutation_test", "read_share", "verify_inputs", "verify_webhook",
    "wilson_interval",
]

#: The headers of a reply.
Headers = Message

USER_AGENT = "stancebook-python/1.0.0"
__version__ = USER_AGENT.split("/")[1]
#: Seconds: the first wait without Retry-After, which doubles, and the longest one.
FIRST_BACKOFF, LONGEST_BACKOFF = 0.5, 30.0
#: Seconds: the shortest wait between two reads of a state, which doubles while it stays the same, and its bound.
FIRST_POLL, LONGEST_POLL = 2.0, 900.0
#: Seconds between two readings of the feed of events for one wait, at most.
LONGEST_FEED_POLL = 60.0
#: Seconds without an event before a check, at first.
FIRST_SILENCE = 60.0
#: Events in a page that the client reads by itself: the most that there can be.
EVENT_PAGE = 100
#: Units of the pool `check` that waiting leaves to the caller.
CHECKS_LEFT = 2
#: Seconds: a receipt is there within a half of them.
RECEIPT_TIMEOUT = 600.0

# What one request of a back-test may have: rows, and bytes of them with room for the rest of the body.
_BATCH_ROWS = 1000
_BATCH_BYTES = 1_000_000
# Seconds between two looks at a back-test that is being graded.
_BACKTEST_PAUSE = 3.0
#: Seconds for one attempt, unless a client is made for more.
TIMEOUT = 30.0
#: Bytes of a reply at most, unless a client is made for more.
LONGEST_REPLY = 64 * 1024 * 1024
#: The name of an agent that a login makes.
AGENT_NAME = "Command line"
#: Seconds that the timestamp of a webhook may differ from the own clock, to either side.
WEBHOOK_TOLERANCE = 300

_DECISIONS = "/api/v1/agent/decisions"
_GROUPS = "/api/v1/agent/decision-groups"
_COHORTS = "/api/v1/agent/wisdom"
_PLANS = "/api/v1/agent/plans"
_EVENTS = "/api/v1/agent/events"
_RECORD_PROOF = "/api/v1/owner/record-proof"
_DEVICE = "/api/v1/public/auth/idp/device"
_EXPORT_FORMATS = ("jsonl", "zip", "csv", "parquet")
# Bytes of the end of an export that are looked at; the last line is shorter.
_LONGEST_END = 4096
_FROM_ENVIRONMENT: Any = object()
_FROM_LOGIN: Any = object()


class StancebookError(Exception):
    """Every error of this client."""


class UsageError(StancebookError, ValueError):
    """Refused before anything was sent."""


class ConnectionFailedError(StancebookError):
    """No whole reply came in any attempt: it is unknown whether the last request was carried out."""


class OutcomeUnavailableError(StancebookError):
    """Only an operator can change the state of the record. `state` is the reply that says so."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        super().__init__("%s gets no outcome: it is %s." % (state.get("record_id"), state.get("lifecycle_state")))
        self.state = state


class OutcomePendingError(StancebookError):
    """The timeout of the caller would end before the next read. `state` is the newest reply, None for a receipt."""

    def __init__(self, record_id: str, state: Optional[Mapping[str, Any]]) -> None:
        super().__init__("%s is not ready within the timeout; ask again later." % record_id)
        self.state = state


class WebhookError(StancebookError):
    """The request is no webhook of the service, and must not be processed: answer it with 400.

    code: HEADER_MISSING, TIMESTAMP_INVALID, TIMESTAMP_TOO_OLD, TIMESTAMP_TOO_NEW, SIGNATURE_WRONG or BODY_INVALID.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ApiError(StancebookError):
    """A refusal of the service. Its class says what a caller can do about it; `suggestion` says it in words."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(error.get("code") or "HTTP_%d" % status)
        self.category = str(error["category"])
        self.message = str(error.get("message") or "The reply has status %d and no error envelope." % status)
        self.suggestion = str(error.get("suggestion") or "")
        #: Seconds; None where waiting does not help.
        self.retry_after_seconds: Optional[float] = error.get("retry_after_seconds")
        self.details: List[Dict[str, Any]] = list(error.get("details") or [])
        self.request_id: Optional[str] = error.get("request_id")
        lines = ["%s: %s %s" % (self.code, self.message, self.suggestion)]
        lines += ["  %s: %s" % (each.get("path"), each.get("message")) for each in self.details]
        super().__init__("\n".join(line.rstrip() for line in lines))


class InputInvalidError(ApiError):
    """The request must be corrected; `details` names each fault by its `path`."""


class AuthFailedError(ApiError):
    """The key is missing, wrong, or not permitted to do this."""


class NotFoundError(ApiError):
    """The record does not exist, or does not exist for this caller."""


class QuotaExceededError(ApiError):
    """A daily pool is empty, or a tier is full. Never tried again, except by `wait_for_outcome`."""


class RetryableError(ApiError):
    """A wait ends it: `retry_after_seconds`."""


class ServiceDegradedError(ApiError):
    """The service lacks a part that this needs."""


class InternalError(ApiError):
    """A fault of the service, which its operator finds by `request_id`; or a reply that is none of this service."""


_CLASSES: Mapping[str, Type[ApiError]] = {
    "input_invalid": InputInvalidError,
    "auth_failed": AuthFailedError,
    "not_found": NotFoundError,
    "quota_exceeded": QuotaExceededError,
    "retryable": RetryableError,
    "service_degraded": ServiceDegradedError,
}


class Stancebook:
    """The requests of an agent.

    url: https, or http on loopback; default STANCEBOOK_URL. Plain http elsewhere needs `allow_http=True`.
    api_key: None is no key; default STANCEBOOK_API_KEY, then what `stancebook login` stored. No text shows it.
    attempts: how often a request is sent at most. timeout_seconds: for one attempt, to its last byte.
    longest_reply_bytes: a longer reply is an error at once, and not asked for again.
    most_wait_seconds: a Retry-After above it is an error at once.
    Raises UsageError for an address or a key that cannot be sent.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = _FROM_ENVIRONMENT,
        *,
        attempts: int = 5,
        timeout_seconds: float = TIMEOUT,
        longest_reply_bytes: int = LONGEST_REPLY,
        most_wait_seconds: float = 120.0,
        allow_http: bool = False,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        rand: Callable[[], float] = random.random,
    ) -> None:
        given = os.environ.get("STANCEBOOK_API_KEY") or _FROM_LOGIN if api_key is _FROM_ENVIRONMENT else api_key
        address = url or os.environ.get("STANCEBOOK_URL") or ""
        stored = _stored_login() if address == "" or given is _FROM_LOGIN else {}
        self.url = _checked_address(address or stored.get("url", ""), allow_http)
        if given is _FROM_LOGIN:
            # A stored key belongs to the service that issued it, and is sent to no other.
            given = stored.get("api_key") if stored.get("url", "").rstrip("/") == self.url else None
        if given is not None and not _is_visible_ascii(given):
            raise UsageError("An API key has only visible ASCII characters: no space, no line end.")
        self._api_key = given
        self._attempts, self._timeout, self._most_wait = attempts, timeout_seconds, most_wait_seconds
        self._longest_reply = longest_reply_bytes
        self._sleep, self._clock, self._rand = sleep, clock, rand
        self._open = _opener(self.url).open
        self._feed = _Feed(self._event_page, clock)

    def __repr__(self) -> str:
        return "Stancebook(%r)" % self.url

    # Decisions

    def submit(self, decision: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Submits a decision and returns the reply with its `record_id`.

        All attempts have one Idempotency-Key, so that a lost reply never makes a second decision. With a key of your
        own (1-255 visible ASCII characters) another process can repeat the submission within 48 hours.
        """
        return self._submitted(_DECISIONS, decision, idempotency_key)

    def submit_group(self, group: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Submits one decision over several horizons (`horizons`), all of them or none; `members` has each reply."""
        return self._submitted(_GROUPS, group, idempotency_key)

    def _submitted(self, path: str, body: Mapping[str, Any], idempotency_key: Optional[str]) -> Dict[str, Any]:
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not _is_visible_ascii(key) or len(key) > 255:
            raise UsageError("An Idempotency-Key has 1 to 255 visible ASCII characters.")
        if re.match(r"[<('\"]?(null|none|undefined|nil|nan)[>)'\"]?$", key, re.IGNORECASE):
            raise UsageError(
                "An Idempotency-Key is not the text %s of a missing value. Give a key, or leave it out." % key
            )
        return self._json("POST", path, None, body, {"Idempotency-Key": key}, True)

    def validate(self, decision: Mapping[str, Any]) -> Dict[str, Any]:
        """What a submission of this decision would get now; nothing is stored or counted."""
        return self._json("POST", _DECISIONS, {"validate_only": True}, decision, None, True)

    def validate_group(self, group: Mapping[str, Any]) -> Dict[str, Any]:
        """The same of one decision over several horizons."""
        return self._json("POST", _GROUPS, {"validate_only": True}, group, None, True)

    def state(self, record_id: str) -> Dict[str, Any]:
        """The state of a record, with its outcome once it is `closed`. One unit of the pool `check`."""
        return self._json("GET", _path_of(record_id, "/state"))

    def decision(self, record_id: str) -> Dict[str, Any]:
        """A record: whole for its owner, else the public form. One unit of the pool `read`."""
        return self._json("GET", _path_of(record_id))

    def note(self, record_id: str, text: str) -> Dict[str, Any]:
        """Keeps what the outcome of an own record taught; before that RECORD_OPEN, a RetryableError. No unit of a pool.

        The text of the newest note is that note, so it may be sent again.
        """
        return self._json("POST", _path_of(record_id, "/notes"), None, {"text": text}, None, True)

    def decisions(self, record_ids: Iterable[str]) -> Dict[str, Any]:
        """`items`: the public forms of up to 32 records, in the order of the ids. One unit of the pool `read`."""
        return self._json("POST", _DECISIONS + "/batch", None, {"record_ids": list(record_ids)}, None, True)

    def list(self, query: Optional[Mapping[str, Any]] = None) -> Iterator[Dict[str, Any]]:
        """The agent's own records, newest submission first, read page by page. No unit of a pool."""
        return self._items(_DECISIONS, query or {})

    def related(self, record_id: str, query: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The records around a record (`direction`, `depth`, `limit`). No unit of a pool."""
        return self._json("GET", _path_of(record_id, "/graph"), query)

    def receipt(self, record_id: str, query: Optional[Mapping[str, Any]] = None) -> str:
        """The text of a receipt in the evidence log; NOT_LOGGED_YET, a RetryableError, until it is there."""
        return self._send("GET", _path_of(record_id, "/receipt"), query)[1].decode("utf-8")

    def recall(self, query: Mapping[str, Any]) -> Dict[str, Any]:
        """What the agent had decided on a `symbol` of a `market`, and what became of it. No unit of a pool.

        `text` is for the next prompt, and `sha256` is its digest for `inputs`.
        """
        return self._json("GET", "/api/v1/agent/recall", query)

    # Cohorts and limits

    def cohort(self, query: Mapping[str, Any]) -> Dict[str, Any]:
        """Counts and facts of graded decisions of all agents; `market` is required. One unit of the pool `query`."""
        return self._json("GET", _COHORTS, query)

    def cohort_items(self, query: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
        """The records of a cohort query, read page by page; each page takes one unit of the pool `query`."""
        return self._items(_COHORTS, query)

    def state_plan(self, query: Mapping[str, Any], sentence: str) -> Dict[str, Any]:
        """States a question (filters of `cohort`) before it is asked, for ever. No unit of a pool.

        The same filters and sentence are one plan, so it may be sent again. Keep the reply: its salt opens the leaf.
        """
        return self._json("POST", _PLANS, None, {"query": dict(query), "sentence": sentence}, None, True)

    def plan(self, plan_id: str) -> Dict[str, Any]:
        """A plan as it was returned when it was stated. No unit of a pool."""
        return self._json("GET", _plan_path(plan_id))

    def plans(self, query: Optional[Mapping[str, Any]] = None) -> Iterator[Dict[str, Any]]:
        """The plans that the agent stated, the newest first, read page by page. No unit of a pool."""
        return self._items(_PLANS, query or {})

    def plan_receipt(self, plan_id: str, query: Optional[Mapping[str, Any]] = None) -> str:
        """The text of the receipt of a plan; NOT_LOGGED_YET, a RetryableError, until it is there."""
        return self._send("GET", _plan_path(plan_id, "/receipt"), query)[1].decode("utf-8")

    def backtest(
        self,
        set_name: str,
        about: Mapping[str, str],
        rows: Iterable[Mapping[str, Any]],
        *,
        progress: Optional[Callable[[int], None]] = None,
    ) -> Dict[str, Any]:
        """Sends rows of a back-test, in as many requests as they need. No unit of a pool.

        The same rows again change nothing: to resume is to send again. `refused` names rows by their place in `rows`;
        `progress` is called with how many were sent.
        """
        path = _set_path(set_name)
        found: Dict[str, Any] = {"accepted": 0, "repeated": 0, "refused": []}
        first = 0
        for batch in _batches_of(rows):
            sent = self._json("POST", path, None, {"about": dict(about), "rows": batch}, None, True)
            found["accepted"] += sent["accepted"]
            found["repeated"] += sent["repeated"]
            found["refused"] += [{**each, "row": first + each["row"]} for each in sent["refused"]]
            first += len(batch)
            if progress is not None:
                progress(first)
        return found

    def backtest_counts(self, set_name: str) -> Dict[str, Any]:
        """The counts of a back-test. No unit of a pool."""
        return self._json("GET", _set_path(set_name))

    def backtest_note(self, set_name: str, external_id: str, text: str, as_of: Union[str, datetime]) -> Dict[str, Any]:
        """Keeps what the outcome of a graded row taught, as of a time of the back-test. It may be sent again."""
        note = {"external_id": external_id, "text": text, "as_of": _query_value(as_of)}
        return self._json("POST", _set_path(set_name) + "/notes", None, note, None, True)

    def wait_for_backtest(
        self, set_name: str, *, timeout_seconds: Optional[float] = RECEIPT_TIMEOUT
    ) -> Dict[str, Any]:
        """The counts once all settled rows are graded.

        Raises OutcomePendingError before a sleep that would pass `timeout_seconds`; None is no end.
        """
        deadline = self._deadline(timeout_seconds)
        while True:
            counts = self.backtest_counts(set_name)
            if counts["ungraded_yet"] == 0:
                return counts
            self._sleep_within(deadline, _BACKTEST_PAUSE, set_name, None)

    def record_proof(
        self,
        agent_id: str,
        *,
        token: Optional[str] = None,
        email: Optional[str] = None,
        password: Optional[str] = None,
        code: Union[str, Callable[[], str], None] = None,
    ) -> str:
        """The file that proves the whole record of an agent to others (`verify --record`), as the owner of the account.

        token: of the identity provider; without it, email and password log in, and out again. The key is not sent.
        code: of the authenticator app, or a recovery code; a function is asked where the account needs one.
        Raises InternalError for a file that is not whole. A logout that fails changes no result: the session ends later.
        """
        if agent_id == "":
            raise UsageError("Give the id of an agent, such as agt_0a1b2c3d4e5f.")
        with self._as_owner(token, email, password, code) as owner:
            headers, content = self._send("GET", _RECORD_PROOF, {"agent_id": agent_id}, None, owner, keyless=True)
        text = content.decode("utf-8")
        if not re.search(r'\n\{.*"type":"complete".*\}\n\Z', text):
            raise _unexpected(200, "The record is not whole: its last line is missing. Ask for it again.", headers)
        return text

    def export(
        self,
        out: BinaryIO,
        format: str = "jsonl",
        *,
        token: Optional[str] = None,
        email: Optional[str] = None,
        password: Optional[str] = None,
        code: Union[str, Callable[[], str], None] = None,
    ) -> None:
        """Writes everything that the account owns (jsonl, zip), or its decisions as a table (csv, parquet), to a file.

        It logs in as `record_proof` does, and writes what comes as it comes, so that no export is too long.
        Raises InternalError for one that is not whole; `out` has then a part of it.
        """
        if format not in _EXPORT_FORMATS:
            raise UsageError("format must be one of %s." % ", ".join(_EXPORT_FORMATS))
        with self._as_owner(token, email, password, code) as owner:
            query = None if format == "jsonl" else {"format": format}
            self._copy(self._request("GET", "/api/v1/owner/export", query, None, owner, True), out, format)

    def _copy(self, request: urllib.request.Request, out: BinaryIO, format: str) -> None:
        end = b""
        try:
            reply = self._open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.status is None or refusal.status < 400:
                    raise _unexpected(refusal.status or 0, "The reply is no copy.", refusal.headers) from None
                wait = _retry_after(refusal.headers, self._served_at(refusal.headers))
                raise _refusal_of(refusal.status, refusal.headers, self._content_of(refusal), wait) from None
        except (OSError, http.client.HTTPException) as cause:
            raise ConnectionFailedError("No reply came from %s: %s" % (self.url, _name_of(cause))) from cause
        with reply:
            while True:
                try:
                    some = reply.read1(1 << 16)
                except (OSError, http.client.HTTPException) as cause:
                    raise ConnectionFailedError("The copy broke off: %s" % _name_of(cause)) from cause
                if not some:
                    break
                out.write(some)
                end = (end + some)[-_LONGEST_END:]
        # An archive and CSV have no last line by which a break would show: there the connection alone shows it.
        lines = end.decode("utf-8", "replace").rstrip().split("\n")
        is_whole = {"jsonl": '"type":"complete"' in lines[-1], "parquet": end.endswith(b"PAR1")}
        if not is_whole.get(format, True):
            raise _unexpected(200, "The copy is not whole: its end is missing. Ask for it again.", reply.headers)

    def key_by_password(
        self,
        email: str,
        password: str,
        *,
        code: Union[str, Callable[[], str], None] = None,
        agent_id: Optional[str] = None,
        agent_name: str = AGENT_NAME,
    ) -> Dict[str, Any]:
        """Makes a key of an agent (`agent_id`, else a new one of this name) as the owner of the account.

        Returns `api_key`, `key_prefix` and `agent_id`.
        """
        with self._as_owner(None, email, password, code) as owner:
            body = {"agent_name": agent_name} if agent_id is None else {"agent_id": agent_id}
            return _json_of(*self._send("POST", "/api/v1/owner/auth/api-keys", None, body, owner, keyless=True))

    def key_by_provider(
        self, show: Callable[[Mapping[str, Any]], None], *, agent_name: str = AGENT_NAME
    ) -> Dict[str, Any]:
        """Makes a key of a new agent with the device flow (RFC 8628); `show` gets the address and the code to compare.

        Raises UsageError where passwords are the only login.
        """
        try:
            started = self._json("POST", _DEVICE)
        except ServiceDegradedError as refusal:
            if refusal.code != "OAUTH_NOT_CONFIGURED":
                raise
            raise UsageError("The service has no identity provider: log in with an email address.") from None
        show(started)
        body = {"device_code": started["device_code"], "agent_name": agent_name}
        interval = float(started["interval"])
        while True:
            self._sleep(interval)
            try:
                return self._json("POST", _DEVICE + "/poll", None, body)
            except RetryableError as refusal:
                if refusal.status != 400:
                    raise
                interval = max(interval, refusal.retry_after_seconds or 0)

    @contextlib.contextmanager
    def _as_owner(
        self,
        token: Optional[str],
        email: Optional[str],
        password: Optional[str],
        code: Union[str, Callable[[], str], None],
    ) -> Iterator[Dict[str, str]]:
        """The headers of the owner; a session that is opened for them ends with the block."""
        if token is not None:
            if not _is_visible_ascii(token):
                raise UsageError("The token is empty or has a character that no token has. It was not sent.")
            yield {"Authorization": "Bearer " + token}
            return
        if not email or not password:
            raise UsageError("Give the token of the owner, or email and password.")
        owner = self._owner_session(email, password, code)
        try:
            yield owner
        finally:
            try:
                self._send("POST", "/api/v1/owner/auth/logout", None, None, owner, keyless=True)
            except StancebookError:
                pass

    def _owner_session(
        self, email: str, password: str, code: Union[str, Callable[[], str], None]
    ) -> Dict[str, str]:
        body = {"email": email, "password": password, **(_factor_of(code) if isinstance(code, str) else {})}
        try:
            headers, _ = self._send("POST", "/api/v1/public/auth/login", None, body, keyless=True)
        except AuthFailedError as refusal:
            if refusal.code != "SECOND_FACTOR_REQUIRED" or code is None or isinstance(code, str):
                raise
            return self._owner_session(email, password, code())
        cookies = [cookie.split(";")[0] for cookie in headers.get_all("set-cookie") or []]
        return {"Cookie": "; ".join(cookies), "Sec-Fetch-Site": "same-origin"}

    def limits(self) -> Dict[str, Any]:
        """What the key may do, with its pools. No unit of a pool."""
        return self._json("GET", "/api/v1/public/auth/status", {"include": "quota"})

    def quick_setup(self, email: str, password: str, agent_name: Optional[str] = None) -> Dict[str, Any]:
        """Opens an account with an agent and its first key, which this client uses from then on."""
        body = {"email": email, "password": password, **({"agent_name": agent_name} if agent_name else {})}
        reply = self._json("POST", "/api/v1/public/auth/quick-setup", None, body)
        self._api_key = reply["api_key"]
        self._feed = _Feed(self._event_page, self._clock)
        return reply

    def request(
        self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None
    ) -> Any:
        """Any other request, with its JSON reply (None for 204). Changes are not sent again after a lost reply."""
        return self._json(method, path, query, body)

    # Events

    def events(self, query: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """A page of the agent's events (`after`, `limit`), the oldest first. No unit of a pool."""
        return self._json("GET", _EVENTS, query)

    def follow(
        self, *, after: Optional[str] = None, pause_seconds: float = 60.0, stop: Optional[threading.Event] = None
    ) -> Iterator[Dict[str, Any]]:
        """Pages of the agent's events as they happen, without an end, or until `stop` is set.

        after: the `next_cursor` of the last page that was processed; without it, the oldest event comes first.
        Empty pages come too, each before a pause: their cursor stays valid longer than the one before.
        """
        while stop is None or not stop.is_set():
            page = self._event_page(after)
            yield page
            after = page["next_cursor"]
            if not page["items"]:
                wait = self._with_jitter(pause_seconds)
                if stop is None:
                    self._sleep(wait)
                else:
                    stop.wait(wait)

    def _event_page(self, after: Optional[str]) -> Dict[str, Any]:
        page = self.events({"limit": EVENT_PAGE, "after": after})
        if not isinstance(page.get("items"), list) or not isinstance(page.get("next_cursor"), str):
            raise _unexpected(200, "The reply is no page of the feed of events.")
        if page["items"] and page["next_cursor"] == after:
            raise _unexpected(200, "A page of events has its own cursor as that of the next page.")
        return page

    # Waiting

    def wait_for_outcome(self, record_id: str, *, timeout_seconds: Optional[float] = None) -> Dict[str, Any]:
        """Waits until a record is graded, and returns its state with the outcome.

        It reads the state, sleeps until that can have changed, then reads the feed of events until it shows the change,
        and the state again. All waits of a client, also those of other threads, share one reader of the feed. Where a
        key has no feed it reads the state instead, less and less often. It leaves CHECKS_LEFT units of the pool `check`
        to the caller: then it goes on after 00:00 UTC.
        Raises OutcomeUnavailableError, and OutcomePendingError before a sleep that would pass `timeout_seconds`.
        """
        deadline = self._deadline(timeout_seconds)
        state: Optional[Dict[str, Any]] = None
        unchanged = 0

        def pause(seconds: float) -> None:
            self._sleep_within(deadline, seconds + self._rand() * min(5.0, seconds / 4), record_id, state)

        with self._feed.watch(record_id) as watched:
            while True:
                before = state and state["state"]
                watched.newest = None
                try:
                    headers, content = self._send("GET", _path_of(record_id, "/state"))
                except QuotaExceededError as refusal:
                    if refusal.retry_after_seconds is None:
                        raise
                    pause(refusal.retry_after_seconds)
                    continue
                read: Dict[str, Any] = _json_of(headers, content)
                state = read
                if read["state"] == "closed":
                    return read
                unchanged = unchanged + 1 if read["state"] == before else 0
                pause(self._until_next_read(read, headers, unchanged))
                self._until_event(watched, read, min(LONGEST_POLL, FIRST_SILENCE * 2**unchanged), pause)

    def _until_event(
        self, watched: _Watched, state: Mapping[str, Any], silence: float, pause: Callable[[float], None]
    ) -> None:
        """Returns when the state is worth a check: after an event that changes it, after `silence` seconds, or at once
        where there is no feed."""
        end = self._clock() + silence
        seconds = FIRST_POLL
        while True:
            # A reading that began before the check, or before the pause after it, says nothing new.
            self._feed.refresh(seconds / 2)
            if self._feed.missing or watched.is_worth_check(state) or self._clock() >= end:
                return
            seconds = min(LONGEST_FEED_POLL, seconds * 2)
            pause(seconds)

    def wait_for_receipt(
        self,
        record_id: str,
        query: Optional[Mapping[str, Any]] = None,
        *,
        timeout_seconds: Optional[float] = RECEIPT_TIMEOUT,
    ) -> str:
        """Waits by Retry-After until the evidence log has the record, and returns the text of the receipt.

        Raises OutcomePendingError before a sleep that would pass `timeout_seconds`; None is no end.
        """
        return self._once_logged(lambda: self.receipt(record_id, query), record_id, timeout_seconds)

    def wait_for_plan_receipt(
        self,
        plan_id: str,
        query: Optional[Mapping[str, Any]] = None,
        *,
        timeout_seconds: Optional[float] = RECEIPT_TIMEOUT,
    ) -> str:
        """The same for the receipt of a plan."""
        return self._once_logged(lambda: self.plan_receipt(plan_id, query), plan_id, timeout_seconds)

    def _once_logged(self, read: Callable[[], str], subject: str, timeout_seconds: Optional[float]) -> str:
        deadline = self._deadline(timeout_seconds)
        while True:
            try:
                return read()
            except RetryableError as refusal:
                if refusal.code != "NOT_LOGGED_YET":
                    raise
                wait = refusal.retry_after_seconds or 30
            self._sleep_within(deadline, self._with_jitter(wait), subject, None)

    def _until_next_read(self, state: Mapping[str, Any], headers: Headers, unchanged: int) -> float:
        now = self._served_at(headers)
        after = state.get("poll_after_seconds")
        until = _time_of(state["next_check_at"]) - now if state.get("next_check_at") else 0.0
        if after is None and until <= 0:
            raise OutcomeUnavailableError(state)
        least = min(LONGEST_POLL, FIRST_POLL * 2**unchanged)
        wait = max(least, until if until > 0 or after is None else float(after))
        left, reset = headers.get("x-quota-remaining") or "", headers.get("x-quota-reset") or ""
        if headers.get("x-quota-resource") == "check" and left.isdigit() and reset.isdigit():
            if int(left) <= CHECKS_LEFT:
                wait = max(wait, float(reset) - now)
        return wait

    def _deadline(self, timeout_seconds: Optional[float]) -> Optional[float]:
        return None if timeout_seconds is None else self._clock() + timeout_seconds

    def _sleep_within(
        self, deadline: Optional[float], wait: float, record_id: str, state: Optional[Mapping[str, Any]]
    ) -> None:
        if deadline is not None and self._clock() + wait > deadline:
            raise OutcomePendingError(record_id, state)
        self._sleep(wait)

    # Requests

    def _items(self, path: str, query: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
        cursor = query.get("cursor")
        while True:
            page = self._json("GET", path, {**query, "cursor": cursor})
            following = page.get("next_cursor")
            if following is not None and following == cursor:
                raise _unexpected(200, "A page names its own cursor as that of the next page.")
            yield from page["items"]
            if following is None:
                return
            cursor = following

    def _json(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        repeatable: bool = False,
    ) -> Any:
        return _json_of(*self._send(method, path, query, body, headers, repeatable))

    def _send(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        repeatable: bool = False,
        keyless: bool = False,
    ) -> Tuple[Headers, bytes]:
        """The reply of the first attempt that succeeds.

        repeatable: whether a request that is no GET may be sent again after one that may have been carried out.
        keyless: it is one of the owner, not of the agent.
        """
        if not path.startswith("/") or path.startswith("//"):
            raise UsageError("A path begins with one slash.")
        request = self._request(method, path, query, body, headers, keyless)
        safe = repeatable or method in ("GET", "HEAD")
        for attempt in range(1, self._attempts + 1):
            fault, wait = self._attempt(request, attempt, safe)
            if not isinstance(fault, StancebookError):
                return fault
            if wait is None or attempt == self._attempts:
                raise fault
            self._sleep(wait)
        raise UsageError("attempts must be at least 1.")

    def _request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Any,
        headers: Optional[Mapping[str, str]],
        keyless: bool,
    ) -> urllib.request.Request:
        request = urllib.request.Request(self.url + path + _query_text(query), method=method)
        request.add_header("User-Agent", USER_AGENT)
        request.add_header("Accept", "*/*")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if self._api_key is not None and not keyless:
            request.add_unredirected_header("X-API-Key", self._api_key)
        if body is not None:
            try:
                request.data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
            except (TypeError, ValueError) as cause:
                raise UsageError("The body is no JSON: %s" % cause) from cause
            request.add_header("Content-Type", "application/json")
        return request

    def _attempt(
        self, request: urllib.request.Request, attempt: int, safe: bool
    ) -> Tuple[Union[Tuple[Headers, bytes], StancebookError], Optional[float]]:
        """The reply, or the error with the seconds until the next attempt; None where there is none."""
        try:
            status, headers, content = self._exchange(request)
        except _ReplyTooLong:
            return ConnectionFailedError(
                "The reply of %s is longer than %d bytes: raise longest_reply_bytes." % (self.url, self._longest_reply)
            ), None
        except (OSError, http.client.HTTPException) as cause:
            reason = getattr(cause, "reason", cause)
            late = isinstance(reason, socket.timeout)
            name = "time-out after %g s (timeout_seconds)" % self._timeout if late else _name_of(reason)
            failed = ConnectionFailedError("No whole reply came from %s: %s" % (self.url, name))
            failed.__cause__ = cause
            lasting = isinstance(reason, ssl.SSLCertVerificationError)
            return failed, self._backoff(attempt) if safe and not lasting else None
        if 200 <= status < 300:
            return (headers, content), None
        if status < 400:
            return _unexpected(status, "The reply is a redirection, which is not followed.", headers), None
        wait = _retry_after(headers, self._served_at(headers))
        refusal = _refusal_of(status, headers, content, wait)
        if refusal.category in ("quota_exceeded", "service_degraded") or refusal.code == "DUPLICATE_SUBMISSION":
            return refusal, None
        if not (status in (408, 429) or (safe and status >= 500)):
            return refusal, None
        wait = wait or refusal.retry_after_seconds
        if not wait:
            return refusal, self._backoff(attempt)
        return refusal, None if wait > self._most_wait else self._with_jitter(wait)

    def _exchange(self, request: urllib.request.Request) -> Tuple[int, Headers, bytes]:
        try:
            reply = self._open(request, timeout=self._timeout)
        except urllib.error.HTTPError as refusal:
            reply = refusal
        with reply:
            content = self._content_of(reply)
            length = reply.headers.get("content-length") or ""
            if length.isdigit() and len(content) < int(length):
                raise http.client.IncompleteRead(b"", int(length) - len(content))
            return reply.status, reply.headers, content

    def _content_of(self, reply: Any) -> bytes:
        """All bytes of a reply. The timeout is for all of them together, or a slow reply would never end."""
        content = bytearray()
        end = time.monotonic() + self._timeout
        while True:
            some = reply.read1(1 << 16)
            content += some
            if not some:
                return bytes(content)
            if time.monotonic() > end:
                raise socket.timeout()
            if len(content) > self._longest_reply:
                raise _ReplyTooLong()

    def _backoff(self, attempt: int) -> float:
        longest = min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1))
        return longest / 2 + self._rand() * longest / 2

    def _with_jitter(self, wait: float) -> float:
        return wait + self._rand() * max(1.0, wait / 10)

    def _served_at(self, headers: Headers) -> float:
        """When the reply was sent: by its Date, so that no wait depends on the own clock; else by the own clock."""
        at = _http_date(headers.get("date") or "")
        return self._clock() if at is None else at


class _Watched:
    """What the feed has shown of a record, from `with` on."""

    def __init__(self, feed: _Feed, record_id: str) -> None:
        self._feed, self.record_id = feed, record_id
        #: The state after its newest event; None where none came since the last check.
        self.newest: Optional[str] = None

    def __enter__(self) -> _Watched:
        self._feed.watched.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        self._feed.watched.remove(self)

    def is_worth_check(self, state: Mapping[str, Any]) -> bool:
        """Steps on the way to the outcome change nothing, but that of the verification names the next time."""
        if self.newest in ("verified", "deferred"):
            return state["lifecycle_state"] == "pending_verify"
        return self.newest is not None


class _Feed:
    """The one reader of the feed of events for all threads that wait in a client."""

    def __init__(self, read_page: Callable[[Optional[str]], Dict[str, Any]], clock: Callable[[], float]) -> None:
        self._read_page, self._clock = read_page, clock
        #: Whether the key has no feed, or the service is older than the feed.
        self.missing = False
        self.watched: List[_Watched] = []
        self._reading = threading.Lock()
        self._cursor: Optional[str] = None
        self._read_at = float("-inf")
        self._readings = 0

    def watch(self, record_id: str) -> _Watched:
        return _Watched(self, record_id)

    def refresh(self, seconds: float) -> None:
        """Reads the feed to its end, unless a reading began within the last `seconds` or ended while this one waited."""
        readings = self._readings
        with self._reading:
            now = self._clock()
            if self.missing or self._readings != readings or now - self._read_at < seconds:
                return
            try:
                while self._read_on():
                    pass
                self._read_at = now
                self._readings += 1
            except ApiError as refusal:
                self.missing = refusal.code == "KEY_UNBOUND" or refusal.status == 404
                if not self.missing:
                    raise

    def _read_on(self) -> bool:
        """Reads the next page; whether it had an event."""
        try:
            page = self._read_page(self._cursor)
        except InputInvalidError as refusal:
            # A cursor that is too old, or of another database: the oldest event is the next one.
            if self._cursor is None or not any(each.get("path") == "after" for each in refusal.details):
                raise
            self._cursor = None
            return True
        for event in page["items"]:
            data = event.get("data") or {}
            for each in list(self.watched):
                if "lifecycle_state" in data and data.get("record_id") == each.record_id:
                    each.newest = data["lifecycle_state"]
        self._cursor = page["next_cursor"]
        return bool(page["items"])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key would go with a redirection; it is a reply like any other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(address: str) -> urllib.request.OpenerDirector:
    """Certificates are checked. Loopback is never reached through a proxy."""
    parts = urllib.parse.urlsplit(address)
    handlers: List[urllib.request.BaseHandler] = [_NoRedirect()]
    if parts.scheme == "https":
        handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context()))
    if _is_loopback(parts.hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _checked_address(address: str, allow_http: bool) -> str:
    try:
        parts = urllib.parse.urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and _is_visible_ascii(address)
    except ValueError:
        known = False
    if not known:
        raise UsageError("Give the address of the service, such as https://book.example, or set STANCEBOOK_URL.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("The address of the service has no credentials, query or fragment.")
    if parts.scheme == "http" and not allow_http and not _is_loopback(parts.hostname or ""):
        raise UsageError("Over plain http others can read the API key: use https, or allow_http.")
    return address.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_visible_ascii(text: str) -> bool:
    return text != "" and all("!" <= character <= "~" for character in text)


def _stored_login() -> Dict[str, str]:
    """What `stancebook login` stored: `url` and `api_key`; empty without a login.

    Raises UsageError for a file that other users can read, and for one that is not of a login.
    """
    path = _login_file()
    try:
        with open(path, encoding="utf-8") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise UsageError("Other users can read %s: run chmod 600 on it, and get another key." % path)
            stored = json.load(file)
        return {"url": str(stored["url"]), "api_key": str(stored["api_key"])}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise UsageError("%s is not the file of a login: run stancebook login." % path) from None


def _login_file() -> str:
    named = os.environ.get("XDG_CONFIG_HOME") or ""
    folder = named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "stancebook", "credentials.json")


def _store_login(url: str, api_key: str, agent_id: str) -> str:
    """Only the user can read the file, at any moment of the write. Returns its path."""
    path = _login_file()
    written = "%s.%d" % (path, os.getpid())
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(written)
    with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({"url": url, "api_key": api_key, "agent_id": agent_id}, file, indent=2)
        file.write("\n")
    os.replace(written, path)
    return path


def _plan_path(plan_id: str, rest: str = "") -> str:
    if plan_id in ("", ".", ".."):
        raise UsageError("Give the id of a plan, such as 019a2f60-5c00-7000-8000-00005c0ffee5.")
    return _PLANS + "/" + urllib.parse.quote(plan_id, safe="") + rest


def _set_path(set_name: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]{1,40}", set_name):
        raise UsageError("The name of a set has 1 to 40 lower-case letters, digits and hyphens.")
    return "/api/v1/agent/backtests/" + set_name


def _batches_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[List[Mapping[str, Any]]]:
    batch: List[Mapping[str, Any]] = []
    size = 0
    for row in rows:
        more = len(json.dumps(row, ensure_ascii=False).encode("utf-8")) + 2
        if batch and (len(batch) == _BATCH_ROWS or size + more > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += more
    if batch:
        yield batch


def _path_of(record_id: str, rest: str = "") -> str:
    if record_id in ("", ".", ".."):
        raise UsageError("Give the id of a record, such as dec_20260130_1a2b3c4d.")
    return _DECISIONS + "/" + urllib.parse.quote(record_id, safe="") + rest


def _query_text(query: Optional[Mapping[str, Any]]) -> str:
    texts = {name: _query_value(value) for name, value in (query or {}).items() if value is not None}
    return "?" + urllib.parse.urlencode(texts) if texts else ""


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _json_of(headers: Headers, content: bytes) -> Any:
    if not content:
        return None
    try:
        if "json" not in (headers.get("content-type") or ""):
            raise ValueError("another content type")
        return json.loads(content.decode("utf-8"))
    except ValueError:
        raise _unexpected(200, "The reply is no JSON: is this the address of a Stancebook?", headers) from None


def _unexpected(status: int, message: str, headers: Optional[Headers] = None) -> InternalError:
    request_id = headers.get("x-request-id") if headers else None
    error = {"code": "UNEXPECTED_REPLY", "category": "internal", "message": message, "request_id": request_id}
    return InternalError(status, error)


def _refusal_of(status: int, headers: Headers, content: bytes, wait: Optional[float]) -> ApiError:
    try:
        error = json.loads(content.decode("utf-8"))["error"]
        category = error["category"]
        if error.get("retry_after_seconds") is None:
            error = {**error, "retry_after_seconds": wait}
    except (ValueError, KeyError, TypeError):
        category = _category_of(status)
        error = {"category": category, "retry_after_seconds": wait, "request_id": headers.get("x-request-id")}
    return _CLASSES.get(category, InternalError)(status, error)


def _category_of(status: int) -> str:
    """The category of a refusal without an envelope, such as that of a proxy in front."""
    known = {401: "auth_failed", 403: "auth_failed", 404: "not_found"}
    if status in (408, 429, 502, 503, 504):
        return "retryable"
    return known.get(status) or ("internal" if status >= 500 else "input_invalid")


def _retry_after(headers: Headers, now: float) -> Optional[float]:
    """Seconds, from whole seconds or a date; None without the header, with another text, and for the past."""
    text = (headers.get("retry-after") or "").strip()
    at = _http_date(text)
    wait = float(text) if text.isascii() and text.isdigit() else 0.0 if at is None else at - now
    return wait if wait > 0 else None


def _http_date(text: str) -> Optional[float]:
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()


def _time_of(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class _ReplyTooLong(Exception):
    """It is as long when it is asked for again."""


def _factor_of(code: str) -> Dict[str, str]:
    """Six digits are of an app, perhaps with the blanks that it shows."""
    digits = code.replace(" ", "")
    return {"totp": digits} if re.fullmatch("[0-9]{6}", digits) else {"recovery_code": code.strip()}


def _name_of(reason: Any) -> str:
    return "%s (%s)" % (reason, type(reason).__name__) if str(reason) else type(reason).__name__


# Webhooks


def verify_webhook(
    headers: Mapping[str, str],
    body: Union[bytes, str],
    secrets: Union[str, Iterable[str]],
    *,
    clock: Callable[[], float] = time.time,
) -> Dict[str, Any]:
    """The event of a webhook, if it is signed with one of the secrets (Standard Webhooks 1.0).

    Its `id` is the `webhook-id`, which stays the same over all attempts: skip ids that were processed. Types that you
    do not know are from a later version: ignore them.
    body: as it was received; a body that was parsed and written again has another signature.
    secrets: `whsec_...`; two while a secret is rotated.
    Raises WebhookError; UsageError for a secret that is none.
    """
    keys = [_webhook_key(each) for each in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise UsageError("Give a secret of the webhook.")
    event_id = _webhook_header(headers, "webhook-id")
    timestamp = _webhook_header(headers, "webhook-timestamp")
    signatures = _webhook_header(headers, "webhook-signature").encode("utf-8", "replace").split(b" ")
    _check_timestamp(timestamp, int(clock()))
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    signed = ("%s.%s." % (event_id, timestamp)).encode("utf-8", "replace") + content
    for key in keys:
        right = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(right, each) for each in signatures):
            return _webhook_event(content, event_id)
    raise WebhookError("SIGNATURE_WRONG", "No signature of the webhook is one by the secret.")


def _webhook_key(secret: str) -> bytes:
    text = secret[len("whsec_"):] if secret.startswith("whsec_") else ""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if not 24 <= len(key) <= 64 or base64.b64encode(key).decode("ascii") != text:
        raise UsageError("The secret of a webhook is whsec_ and the Base64 of 24 to 64 bytes.")
    return key


def _webhook_header(headers: Mapping[str, str], name: str) -> str:
    values = [value for each, value in headers.items() if each.lower() == name]
    if len(values) != 1 or not values[0]:
        raise WebhookError("HEADER_MISSING", "The request has no header %s, or more than one." % name)
    return values[0]


def _check_timestamp(text: str, now: int) -> None:
    if not (text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= 12):
        raise WebhookError("TIMESTAMP_INVALID", "The webhook-timestamp is no whole number of seconds.")
    age = now - int(text)
    if age > WEBHOOK_TOLERANCE:
        message = "The webhook was signed %d s ago: it may be an old one, repeated." % age
        raise WebhookError("TIMESTAMP_TOO_OLD", message)
    if age < -WEBHOOK_TOLERANCE:
        message = "The webhook was signed %d s in the future: check the own clock." % -age
        raise WebhookError("TIMESTAMP_TOO_NEW", message)


def _webhook_event(content: bytes, event_id: str) -> Dict[str, Any]:
    try:
        event = json.loads(content.decode("utf-8"))
        known = isinstance(event["type"], str) and isinstance(event["timestamp"], str)
        known = known and isinstance(event["data"], (dict, list))
    except (ValueError, KeyError, TypeError, RecursionError):
        known = False
    if not known:
        raise WebhookError("BODY_INVALID", "The body is signed and is no event.")
    return {**event, "id": event_id}


# Statistics of cohorts: calculated from what was read; nothing is sent

_DIRECTIONS = ("bullish", "bearish", "neutral")
_CORRECT = ("strong_correct", "weak_correct")
_BUCKETS = _CORRECT + ("weak_incorrect", "strong_incorrect")


def wilson_interval(count: float, of: float, confidence: float = 0.95) -> Tuple[float, float]:
    """The shares from which `count` of `of` independent observations do not differ more than chance makes them.

    Wilson's score interval (E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927), for
    outcomes that are 0 or 1. Overlapping windows are not independent: `windows.disjoint` of an overview counts.
    """
    if not (of > 0 and 0 <= count <= of):
        raise ValueError("%r of %r are no counts." % (count, of))
    if not 0 < confidence < 1:
        raise ValueError("confidence must be between 0 and 1.")
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    share = count / of
    middle = share + z * z / (2 * of)
    half = z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5
    whole = 1 + z * z / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def read_share(
    overview: Mapping[str, Any], *, buckets: Iterable[str] = _CORRECT, confidence: float = 0.95, looks: float = 1
) -> Optional[Dict[str, Any]]:
    """The share of some buckets in a cohort, next to what the market alone gave. None if it is withheld or empty.

    looks: how many cohorts were looked at to find this one, itself included: more of them make the interval wider.
    Returns `count`, `of` and `share`; `separate`, the independent observations at most (windows of one instrument that do
    not overlap); `interval`, what the share may be by chance if so many were counted; `had_said`, the share if all
    decisions had had one direction; `above_one_direction`, how far the share is above the greatest of these. The last
    four are None where that is not known. It is no odds of the next decision.
    """
    if not looks >= 1:
        raise ValueError("looks must be a number from 1.")
    results, counted = overview["result_distribution"], list(buckets)
    of = sum(results[bucket] for bucket in _BUCKETS) if results is not None else 0
    if of == 0:
        return None
    count = sum(results[bucket] for bucket in counted)
    share = count / of
    windows, said = overview["windows"], overview["had_said"]
    separate = None if windows is None else min(of, windows["disjoint"])
    interval = wilson_interval(share * separate, separate, 1 - (1 - confidence) / looks) if separate else None
    had_said = said and {each: sum(said[each][bucket] for bucket in counted) / of for each in _DIRECTIONS}
    above = share - max(had_said.values()) if had_said else None
    shown = {"separate": separate, "interval": interval, "had_said": had_said, "above_one_direction": above}
    return {"count": count, "of": of, "share": share, **shown}


def cautions_of(overview: Mapping[str, Any]) -> List[str]:
    """Why the counts of a cohort show less than their number. An empty list does not make counts into odds.

    `withheld` alone; else those that hold of `retroactive`, `overlapping`, `overlap_unknown`, `one_owner`,
    `owners_unknown`, `one_direction`, `no_comparison`, `ungraded` and `ungraded_unknown`.
    """
    count = overview["sample_count"]
    if count is None:
        return ["withheld"]
    windows, share, ungraded = overview["windows"], overview["largest_owner_share"], overview["ungraded"]
    results, said = overview["result_distribution"], overview["had_said"]
    unavailable = ungraded and sum(each["total"] for each in ungraded["data_unavailable"])
    lost = ungraded and ungraded["rejected"] + ungraded.get("suspected", 0) + ungraded.get("wrong_security", 0) + unavailable
    is_of_one = results is not None and said is not None and any(
        all(said[each][bucket] == results[bucket] for bucket in _BUCKETS) for each in _DIRECTIONS
    )
    cautions = {
        "retroactive": (overview["retroactive_count"] or 0) > 0,
        "overlapping": windows is not None and windows["disjoint"] < count,
        "overlap_unknown": windows is None,
        "one_owner": share == "more",
        "owners_unknown": share is None,
        "one_direction": is_of_one,
        "no_comparison": said is None,
        "ungraded": bool(lost),
        "ungraded_unknown": ungraded is None,
    }
    return [caution for caution, holds in cautions.items() if holds]


def average_uniqueness(decisions: Iterable[Mapping[str, Any]]) -> List[float]:
    """How much of its window each decision has for itself: 1 alone, 1/n where n windows are the same.

    It is the time average of 1 / (windows of the instrument that are open): M. Lopez de Prado, "Advances in Financial
    Machine Learning" (2018), sections 4.3 and 4.4, in time instead of bars. The sum counts observations of which none is
    repeated. decisions: records as `decision` returns them. Windows that touch do not overlap.
    """
    given = list(decisions)
    each = [0.0] * len(given)
    for spans in _spans_by_security(given):
        edges = sorted({edge for _, start, end in spans for edge in (start, end)})
        is_open = [sum(start <= edge < end for _, start, end in spans) for edge in edges]
        for place, start, end in spans:
            own, at = 0.0, edges.index(start)
            while edges[at] < end:
                own += (edges[at + 1] - edges[at]) / is_open[at]
                at += 1
            each[place] = own / (end - start)
    return each


def disjoint_windows(decisions: Iterable[Mapping[str, Any]]) -> List[Mapping[str, Any]]:
    """The most decisions of which no two windows of one security overlap, as `windows.disjoint` counts them.

    By the earliest end (J. Kleinberg, E. Tardos, "Algorithm Design" (2006), section 4.1), so no outcome decides which
    ones are chosen. In the order in which they were given.
    """
    given = list(decisions)
    places = set()
    for spans in _spans_by_security(given):
        free = float("-inf")
        for place, start, end in sorted(spans, key=lambda span: (span[2], span[0])):
            if start >= free:
                places.add(place)
                free = end
    return [decision for place, decision in enumerate(given) if place in places]


def _spans_by_security(decisions: List[Mapping[str, Any]]) -> Iterable[List[Tuple[int, float, float]]]:
    """Place, start and end, in milliseconds, of the windows of each security, which is one over venues and quotes."""
    groups: Dict[Tuple[str, ...], List[Tuple[int, float, float]]] = {}
    for place, each in enumerate(decisions):
        start, end = (round(1000 * _time_of(each["window"][name])) for name in ("anchor_time", "end_time"))
        if not start < end:
            raise ValueError("The window from %(anchor_time)s to %(end_time)s is none." % each["window"])
        key = (each["market"], each["symbol"])
        groups.setdefault(key, []).append((place, start, end))
    return groups.values()


def permutation_test(
    decisions: Iterable[Mapping[str, Any]],
    *,
    seed: int = 1,
    permutations: int = 9999,
    buckets: Iterable[str] = _CORRECT,
) -> Optional[Dict[str, Any]]:
    """Whether directions were chosen by window: deals the directions of the decisions to their windows at random.

    Returns `count` and `of`, the decisions in `buckets` and all graded ones; `expected`, the average count when directions
    are dealt at random; `permutations`; `at_least`, those with as great a count, by the `had_said` of each window; and
    `p` = (at_least + 1) / (permutations + 1). None without a graded decision. Dealing keeps how many decisions were
    bullish, and what the market did, so drift alone gives no small p; a cohort of one direction has p = 1. One-sided:
    B. Phipson, G. Smyth, "Permutation P-values should never be zero" (2010), section 3. The same seed (0 to 4294967295)
    gives the same p, in the TypeScript client too. Overlapping windows are no separate hands: test `disjoint_windows`.
    """
    if isinstance(permutations, bool) or not isinstance(permutations, int) or permutations < 1:
        raise ValueError("permutations must be a whole number from 1.")
    draw = _seeded_draws(seed)
    counted_buckets = frozenset(buckets)
    graded = [each for each in decisions if each.get("outcome")]
    if not graded:
        return None
    hits = [[each["outcome"]["had_said"][said] in counted_buckets for said in _DIRECTIONS] for each in graded]
    dealt = [_DIRECTIONS.index(each["direction"]) for each in graded]
    count = sum(hit[said] for hit, said in zip(hits, dealt))
    expected = sum(hit[said] for said in dealt for hit in hits) / len(graded)
    at_least = 0
    for _ in range(permutations):
        # R. Fisher and F. Yates, as D. Knuth, "The Art of Computer Programming", volume 2, algorithm P.
        for last in range(len(dealt) - 1, 0, -1):
            chosen = draw(last + 1)
            dealt[last], dealt[chosen] = dealt[chosen], dealt[last]
        at_least += sum(hit[said] for hit, said in zip(hits, dealt)) >= count
    p = (at_least + 1) / (permutations + 1)
    numbers = {"expected": expected, "permutations": permutations, "at_least": at_least, "p": p}
    return {"count": count, "of": len(graded), **numbers}


def _seeded_draws(seed: int) -> Callable[[int], int]:
    """Whole numbers in [0, below): xoshiro128** 1.1 (D. Blackman, S. Vigna, ACM TOMS 47(4), 2021).

    Its state is the MurmurHash3 finaliser of four numbers after the seed; the numbers are those of the TypeScript client.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 32:
        raise ValueError("seed must be a whole number from 0 to 4294967295.")
    full = 0xFFFFFFFF

    def mixed(word: int) -> int:
        word = (word ^ word >> 16) * 0x85EBCA6B & full
        word = (word ^ word >> 13) * 0xC2B2AE35 & full
        return word ^ word >> 16

    s0, s1, s2, s3 = (mixed(seed + step * 0x9E3779B9 & full) for step in (1, 2, 3, 4))

    def draw(below: int) -> int:
        nonlocal s0, s1, s2, s3
        scrambled = s1 * 5 & full
        drawn = (scrambled << 7 | scrambled >> 25) * 9 & full
        shifted = s1 << 9 & full
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = (s3 << 11 | s3 >> 21) & full
        return drawn * below >> 32

    return draw


def benjamini_hochberg(questions: Iterable[Mapping[str, Any]], rate: float = 0.05) -> List[Dict[str, Any]]:
    """Which of several questions (`question`, `p`) have an answer that is more than chance.

    At most a part `rate` of those that are `found` may be false on average: Y. Benjamini, Y. Hochberg, "Controlling the
    False Discovery Rate" (1995). `adjusted` is the smallest rate at which a question would be found. Give every question
    that was asked, also those whose answer was disappointing. One that was asked several times counts once, with its
    largest p: to ask again until the answer is better finds nothing. In the order in which each was given first.
    """
    if not 0 < rate < 1:
        raise ValueError("rate must be between 0 and 1.")
    largest: Dict[str, float] = {}
    for each in questions:
        if not 0 <= each["p"] <= 1:
            raise ValueError("%r is no p of a question: it must be from 0 to 1." % each["p"])
        largest[each["question"]] = max(each["p"], largest.get(each["question"], 0.0))
    adjusted: Dict[str, float] = {}
    least = 1.0
    for i, (question, p) in enumerate(sorted(largest.items(), key=lambda item: -item[1])):
        least = min(least, p * len(largest) / (len(largest) - i))
        adjusted[question] = least
    results = [(question, p, adjusted[question]) for question, p in largest.items()]
    return [{"question": asked, "p": p, "adjusted": value, "found": value <= rate} for asked, p, value in results]


# Inputs

_INPUT_KINDS = ("prompt", "data", "tool", "model", "code")


def input_digests(files: Iterable[str], kind: str = "data") -> List[Dict[str, str]]:
    """The `inputs` of a decision that was made from these files: kind, name and SHA-256 of each."""
    if kind not in _INPUT_KINDS:
        raise ValueError("kind must be one of %s." % ", ".join(_INPUT_KINDS))
    return [{"kind": kind, "name": os.path.basename(file), "sha256": _file_digest(file)} for file in files]


def verify_inputs(receipt: str, files: Iterable[str]) -> Dict[str, List[Dict[str, str]]]:
    """Which inputs of the statement in a receipt each of the files is, by SHA-256; none for a file that it does not name.

    The receipt must show the statement: `receipt(record_id, {"opening": "full"})`. Only the commitment is checked here;
    the signature of the log and the inclusion of the leaf are checked by verify.mjs, or by the TypeScript client.
    Raises ValueError for a receipt that shows no statement, or another one than it commits to.
    """
    extra = [line[len("extra "):] for line in receipt.split("\n\n", 1)[0].split("\n") if line.startswith("extra ")]
    try:
        opening = json.loads(base64.b64decode(extra[0], validate=True))
        commitment, owner = opening["commitment"], opening["owner"]
        statement, salt = owner["statement"], bytes.fromhex(owner["salt"])
        named = json.loads(statement)["body"].get("inputs", [])
        inputs = [{"kind": each["kind"], "name": each["name"], "sha256": each["sha256"]} for each in named]
    except (IndexError, KeyError, TypeError, ValueError, AttributeError):
        raise ValueError("The receipt shows no statement: get the one of the decision again, with opening=full.") from None
    if hashlib.sha256(salt + statement.encode("utf-8")).hexdigest() != commitment:
        raise ValueError("The receipt commits to another statement than the one in it.")
    digests = {file: _file_digest(file) for file in files}
    return {file: [each for each in inputs if each["sha256"] == digest] for file, digest in digests.items()}


def _file_digest(file: str) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        for part in iter(lambda: content.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


# Command line


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs one command, prints its reply, and returns the exit code: 0, 1 after an error, 2 for a wrong command."""
    try:
        code = _main(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output has seen enough. Nothing may be written at the end of the program either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _main(arguments: Optional[List[str]]) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    try:
        # help COMMAND is COMMAND --help.
        given = _parsers()[0].parse_args([*words[1:2], "--help"] if words[:1] == ["help"] else words)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        return _COMMANDS[given.command][1](given)
    except BrokenPipeError:
        raise
    except (StancebookError, ValueError, OSError) as fault:
        print("stancebook: %s" % fault, file=sys.stderr)
        return 2 if isinstance(fault, UsageError) else 1


def _book(given: argparse.Namespace, api_key: Optional[str] = _FROM_ENVIRONMENT) -> Stancebook:
    return Stancebook(
        given.url,
        api_key,
        timeout_seconds=given.timeout_seconds,
        longest_reply_bytes=given.longest_reply_bytes,
        allow_http=given.allow_http,
    )


def _print(reply: Any) -> int:
    sys.stdout.write(reply if isinstance(reply, str) else json.dumps(reply, indent=2) + "\n")
    return 0


def _print_lines(items: Iterable[Any]) -> int:
    for item in items:
        print(json.dumps(item, ensure_ascii=False), flush=True)
    return 0


def _login(given: argparse.Namespace) -> int:
    book = _book(given, api_key=None)
    if given.email is not None:
        password = _typed("Password of %s: " % given.email)
        named = {"agent_id": given.agent_id, "agent_name": given.agent_name}
        key = book.key_by_password(given.email, password, code=_typed_code, **named)
    elif given.agent_id is not None:
        raise UsageError("--agent-id needs --email: this login makes an agent.")
    else:
        key = book.key_by_provider(_show_device, agent_name=given.agent_name)
    agent_id = key.get("agent_id") or given.agent_id or ""
    file = _store_login(book.url, key["api_key"], agent_id)
    words = (book.url, _shown(str(agent_id)), _shown(str(key["key_prefix"])), file)
    print("Logged in at %s as agent %s. The key %s is in %s." % words)
    return 0


def _show_device(started: Mapping[str, Any]) -> None:
    page = started.get("verification_uri_complete") or started["verification_uri"]
    print("Open %s and compare the code %s." % (_shown(page), _shown(started["user_code"])), flush=True)


def _submit(given: argparse.Namespace) -> int:
    book = _book(given)
    decision = _json_in(given.file)
    is_group = isinstance(decision, dict) and "horizons" in decision
    if given.validate_only:
        return _print(book.validate_group(decision) if is_group else book.validate(decision))
    submit = book.submit_group if is_group else book.submit
    return _print(submit(decision, idempotency_key=given.idempotency_key))


def _list(given: argparse.Namespace) -> int:
    return _print_lines(_first(given.limit, _book(given).list(_filters(given.filters))))


def _events(given: argparse.Namespace) -> int:
    is_said = False
    for page in _book(given).follow(after=given.after, pause_seconds=_EVENTS_PAUSE):
        _print_lines(page["items"])
        is_empty = not page["items"]
        if is_empty and not is_said:
            print("stancebook: go on later with --after %s" % _shown(page["next_cursor"]), file=sys.stderr)
        if is_empty and not given.follow:
            break
        is_said = is_empty
    return 0


def _cohort(given: argparse.Namespace) -> int:
    query = _filters(given.filters)
    book = _book(given)
    return _print_lines(_first(given.limit, book.cohort_items(query))) if given.items else _print(book.cohort(query))


def _filters(words: Iterable[str]) -> Dict[str, str]:
    """NAME=VALUE of each; the service judges names and values."""
    found: Dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not re.fullmatch("[a-z_]+", name):
            raise UsageError("%s is no filter: write NAME=VALUE, such as symbol=MSFT." % word)
        found[name] = value
    return found


def _first(limit: Optional[int], items: Iterator[Any]) -> Iterator[Any]:
    return items if limit is None else itertools.islice(items, limit)


def _watch(given: argparse.Namespace) -> int:
    """Waits in as many threads as there are records, which share one reader of events, and prints each as it closes."""
    book, code = _book(given), 0

    def wait(record_id: str) -> Union[Dict[str, Any], StancebookError]:
        try:
            return book.wait_for_outcome(record_id, timeout_seconds=given.timeout)
        except StancebookError as fault:
            return fault

    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(len(given.record_ids)) as threads:
        waits = {threads.submit(wait, record_id): record_id for record_id in given.record_ids}
        for each in as_completed(waits):
            found = each.result()
            if isinstance(found, StancebookError):
                print("stancebook: %s" % found, file=sys.stderr)
                code = 1
            else:
                _print(found)
    return code


def _note(given: argparse.Namespace) -> int:
    book = _book(given)
    text = sys.stdin.read().rstrip("\r\n") if given.text == "-" else given.text
    if (given.set is None) != (given.as_of is None):
        raise UsageError("--set and --as-of go together.")
    if given.set is not None:
        return _print(book.backtest_note(given.set, given.record_id, text, given.as_of))
    return _print(book.note(given.record_id, text))


def _plan(given: argparse.Namespace) -> int:
    book = _book(given)
    stated = book._json("POST", _PLANS, None, _json_in(given.file), None, True)
    if not given.wait:
        return _print(stated)
    print("stancebook: %s is stated; its receipt is there in 5 minutes at most" % stated["plan_id"], file=sys.stderr)
    return _print(book.wait_for_plan_receipt(stated["plan_id"]))


def _recall(given: argparse.Namespace) -> int:
    names = ("market", "symbol") + _RECALL_OPTIONS
    reply = _book(given).recall({name: getattr(given, name) for name in names})
    return _print(reply if given.json else "%s\n" % reply["text"])


def _backtest(given: argparse.Namespace) -> int:
    book = _book(given)
    if given.file is None:
        return _print(book.wait_for_backtest(given.set) if given.wait else book.backtest_counts(given.set))
    sent = _json_in(given.file)
    reply = book.backtest(given.set, sent["about"], sent["rows"])
    return _print({**reply, "counts": book.wait_for_backtest(given.set)} if given.wait else reply)


def _receipt(given: argparse.Namespace) -> int:
    """Ids of decisions are no UUIDs."""
    book, subject = _book(given), given.record_id
    query = {"opening": given.opening, "leaf": "outcome" if given.outcome else None}
    if _UUID.fullmatch(subject):
        if given.outcome:
            raise UsageError("--outcome is for decisions: a plan has no grade.")
        return _print(book.wait_for_plan_receipt(subject, query) if given.wait else book.plan_receipt(subject, query))
    return _print(book.wait_for_receipt(subject, query) if given.wait else book.receipt(subject, query))


def _verify(given: argparse.Namespace) -> int:
    if not given.input:
        raise UsageError(_NOT_VERIFIED)
    with open(given.receipt, encoding="utf-8", newline="") as content:
        results = verify_inputs(content.read(), given.input)
    print("holds       statement   the commitment of the receipt is that of the statement")
    for file, inputs in results.items():
        known = " and ".join("%s %s" % (each["kind"], each["name"]) for each in inputs)
        said = "%s is %s" % (file, known) if inputs else "%s is none of the inputs of the statement" % file
        print("%-12sinput       %s" % ("holds" if inputs else "FAILS", _shown(said)))
    print("not checked signature   and inclusion: run verify of the TypeScript client, or /clients/verify.mjs")
    return 0 if all(results.values()) else 1


_NOT_VERIFIED = (
    "Python's standard library checks no Ed25519 signature. Here --input FILE checks the commitment and the inputs; "
    "signature and inclusion are checked by `npx stancebook verify`, or by verify.mjs of the service (/clients/verify.mjs)."
)


def _export(given: argparse.Namespace) -> int:
    _book(given, api_key=None).export(sys.stdout.buffer, given.format, **_owner_of(given))
    return 0


def _record_proof(given: argparse.Namespace) -> int:
    return _print(_book(given).record_proof(given.agent_id, **_owner_of(given)))


def _owner_of(given: argparse.Namespace) -> Dict[str, Any]:
    if given.email is None:
        return {"token": os.environ.get("STANCEBOOK_OWNER_TOKEN")}
    return {"email": given.email, "password": _typed("Password of %s: " % given.email), "code": _typed_code}


def _elsewhere(given: argparse.Namespace) -> int:
    raise UsageError("%s is in the command line for Node.js alone: npx stancebook %s" % (given.command, given.command))


def _completion(given: argparse.Namespace) -> int:
    parsers = _parsers()[1].items()
    options = {name: [each for each in parser._option_string_actions if each.startswith("--")] for name, parser in parsers}
    helps = {name: text.replace("'", "").replace("`", "") for name, (text, _) in _COMMANDS.items()}
    names = " ".join(_COMMANDS)
    cases = "\n".join("    %s) words='%s' ;;" % (name, " ".join(each)) for name, each in options.items())
    if given.shell == "fish":
        for name, each in options.items():
            print("complete -c stancebook -n __fish_use_subcommand -a %s -d '%s'" % (name, helps[name]))
            for option in each:
                print("complete -c stancebook -n '__fish_seen_subcommand_from %s' -l %s" % (name, option[2:]))
    elif given.shell == "zsh":
        print(_ZSH % (names, cases.replace("words=", "found=")))
    else:
        print(_BASH % (names, cases))
    return 0


_BASH = """_stancebook() {
  local words='%s' word="${COMP_WORDS[COMP_CWORD]}"
  [ "$COMP_CWORD" -eq 1 ] || case "${COMP_WORDS[1]}" in
%s
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _stancebook stancebook"""

_ZSH = """#compdef stancebook
_stancebook() {
  local found='%s'
  (( CURRENT == 2 )) || case "${words[2]}" in
%s
    *) found='' ;;
  esac
  compadd -- ${=found}
  (( CURRENT == 2 )) || _files
}
compdef _stancebook stancebook"""

_Command = Callable[[argparse.Namespace], int]

#: Each command with its help and what runs it.
_COMMANDS: Mapping[str, Tuple[str, _Command]] = {
    "login": ("get an API key and store it: by the identity provider, or with --email by a password", _login),
    "submit": ("submit the decision in FILE, or one with `horizons`; - is standard input", _submit),
    "digest": (
        "the inputs of a decision: name and SHA-256 of each FILE, as JSON",
        lambda given: _print(input_digests(given.files, given.kind)),
    ),
    "list": ("the agent's own decisions, newest first, one JSON object a line", _list),
    "show": ("the record", lambda given: _print(_book(given).decision(given.record_id))),
    "state": (
        "the state of a record, with its outcome once it is closed",
        lambda given: _print(_book(given).state(given.record_id)),
    ),
    "wait": (
        "wait until a record is graded",
        lambda given: _print(_book(given).wait_for_outcome(given.record_id, timeout_seconds=given.timeout)),
    ),
    "watch": ("wait until the decisions are graded", _watch),
    "events": ("the agent's events, one JSON object a line; --follow goes on with what happens", _events),
    "cohort": ("counts and facts of graded decisions of all agents: market=MARKET and further filters", _cohort),
    "recall": ("what the agent had decided on a security, as text for a prompt", _recall),
    "note": ("write down what the outcome of an own record taught", _note),
    "plan": ("state the question in FILE (query, sentence); - is standard input", _plan),
    "plans": (
        "the questions that the agent stated, the newest first",
        lambda given: _print(list(_book(given).plans({"limit": 100}))),
    ),
    "backtest": ("the counts of a back-test; with FILE (about, rows) send that first", _backtest),
    "limits": ("what the key may do, and what remains of the daily pools", lambda given: _print(_book(given).limits())),
    "receipt": ("its receipt in the evidence log, or that of a plan", _receipt),
    "verify": ("whether the statement of RECEIPT (opening=full) names the inputs", _verify),
    "export": ("everything that the account owns, or its decisions as a table (csv, parquet)", _export),
    "record-proof": ("the file that proves the whole record of an agent to others", _record_proof),
    "completion": ("completion of these commands, for the shell to read", _completion),
    "import": ("with Node.js alone: npx stancebook import", _elsewhere),
    "mcp": ("with Node.js alone: npx stancebook mcp", _elsewhere),
}

_RECALL_OPTIONS: Tuple[str, ...] = ("direction", "horizon_kind", "horizon_value", "as_of", "set", "tokens")
# Seconds between two readings of the feed by `events --follow`.
_EVENTS_PAUSE = 10.0


class _Parser(argparse.ArgumentParser):
    """Says which command was meant."""

    def error(self, message: str) -> NoReturn:
        wrong = re.match(r"argument COMMAND: invalid choice: '(.*?)'", message)
        if wrong:
            import difflib

            near = difflib.get_close_matches(wrong[1], _COMMANDS, 1)
            message = "There is no command %s.%s" % (wrong[1], " Did you mean %s?" % near[0] if near else "")
        super().error(message)


def _parsers() -> Tuple[_Parser, Dict[str, _Parser]]:
    """That of the program, and that of each command."""
    parser = _Parser(
        prog="stancebook.py" if os.path.basename(sys.argv[0]) == "stancebook.py" else "stancebook",
        description="Sends one request to a Stancebook. The key is that of STANCEBOOK_API_KEY, else that of the login.",
    )
    parser.add_argument("--version", action="version", version="stancebook " + __version__)
    parser.add_argument("--timeout-seconds", type=float, default=TIMEOUT, metavar="SECONDS", help="for one attempt")
    parser.add_argument("--longest-reply-bytes", type=int, default=LONGEST_REPLY, metavar="BYTES")
    _add_connection(parser, None, False)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands = {name: subparsers.add_parser(name, help=text) for name, (text, _) in _COMMANDS.items()}
    for command in commands.values():
        # Before the command or after it.
        _add_connection(command, argparse.SUPPRESS, argparse.SUPPRESS)
    _add_arguments(commands)
    _add_reading_arguments(commands)
    return parser, commands


def _add_connection(parser: argparse.ArgumentParser, url: Optional[str], allow_http: Union[bool, str]) -> None:
    parser.add_argument("--url", default=url, help="address of the service; default STANCEBOOK_URL, else that of the login")
    parser.add_argument("--allow-http", action="store_true", default=allow_http, help="send the key over http")


def _add_arguments(commands: Mapping[str, _Parser]) -> None:
    for name in ("show", "state", "wait", "note", "receipt"):
        commands[name].add_argument("record_id", metavar="RECORD_ID")
    for name in ("submit", "plan"):
        commands[name].add_argument("file", metavar="FILE")
    for name in ("wait", "watch"):
        commands[name].add_argument("--timeout", type=float, metavar="SECONDS")
    for name in ("export", "record-proof"):
        commands[name].add_argument("--email", help="of the account, whose password is typed; else STANCEBOOK_OWNER_TOKEN")
    for name in ("import", "mcp"):
        commands[name].add_argument("words", nargs="*")
    commands["login"].add_argument("--email", help="of the account, whose password is typed; else the identity provider")
    commands["login"].add_argument("--agent-name", default=AGENT_NAME, metavar="NAME", help="of the agent that it makes")
    commands["login"].add_argument("--agent-id", metavar="ID", help="an agent that there is, with --email")
    commands["digest"].add_argument("files", metavar="FILE", nargs="+")
    commands["digest"].add_argument("--kind", default="data", choices=_INPUT_KINDS, help="default data")
    commands["submit"].add_argument("--validate-only", action="store_true", help="only check it")
    commands["submit"].add_argument("--idempotency-key", metavar="KEY", help="to repeat a submission whose reply was lost")
    commands["note"].add_argument("text", metavar="TEXT", help="- is standard input")
    commands["note"].add_argument("--set", metavar="NAME", help="a set of back-tests: RECORD_ID is an external_id of it")
    commands["note"].add_argument("--as-of", metavar="TIME", help="with --set: the time of the back-test")
    commands["plan"].add_argument("--wait", action="store_true", help="print the receipt, once the evidence log has it")
    commands["completion"].add_argument("shell", choices=("bash", "zsh", "fish"))
    commands["export"].add_argument("--format", default="jsonl", choices=_EXPORT_FORMATS)
    commands["record-proof"].add_argument("agent_id", metavar="AGENT_ID")


def _add_reading_arguments(commands: Mapping[str, _Parser]) -> None:
    for name in ("list", "cohort"):
        commands[name].add_argument("filters", metavar="NAME=VALUE", nargs="*", help="a filter, such as symbol=MSFT")
        commands[name].add_argument("--limit", type=int, metavar="N", help="so many at most")
    commands["cohort"].add_argument("--items", action="store_true", help="the records, one JSON object a line")
    commands["events"].add_argument("--after", metavar="CURSOR", help="default the oldest; now: those from now on")
    commands["events"].add_argument("--follow", action="store_true", help="go on with what happens")
    commands["watch"].add_argument("record_ids", metavar="RECORD_ID", nargs="+")
    commands["recall"].add_argument("market", metavar="MARKET")
    commands["recall"].add_argument("symbol", metavar="SYMBOL")
    for option in _RECALL_OPTIONS:
        commands["recall"].add_argument("--" + option.replace("_", "-"), metavar="VALUE")
    commands["recall"].add_argument("--json", action="store_true", help="the whole reply")
    commands["backtest"].add_argument("set", metavar="SET")
    commands["backtest"].add_argument("file", metavar="FILE", nargs="?")
    commands["backtest"].add_argument("--wait", action="store_true", help="until all settled rows are graded")
    commands["receipt"].add_argument("--wait", action="store_true", help="until the log has it, 10 minutes at most")
    commands["receipt"].add_argument("--outcome", action="store_true", help="that of the grade")
    commands["receipt"].add_argument("--opening", choices=["full"], help="with all that only you may see")
    commands["verify"].add_argument("receipt", metavar="RECEIPT")
    commands["verify"].add_argument("--input", metavar="FILE", action="append", help="a file; may be repeated")


def _json_in(file: str) -> Any:
    try:
        if file == "-":
            return json.load(sys.stdin)
        with open(file, encoding="utf-8") as content:
            return json.load(content)
    except ValueError:
        raise UsageError("%s is not JSON." % ("Standard input" if file == "-" else file)) from None


def _typed(prompt: str) -> str:
    """A secret that the user types, without showing it; the first line of standard input where that is no terminal."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")


def _typed_code() -> str:
    return _typed("Code of the authenticator app, or a recovery code: ")


def _shown(text: str) -> str:
    """On a terminal, control characters of a text would move the cursor or hide what is there."""
    return "".join(sign if sign.isprintable() else "\\u{%x}" % ord(sign) for sign in text)


_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


if __name__ == "__main__":
    sys.exit(main())
