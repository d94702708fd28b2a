"""TinyMongo as an engine of the comparison: workload TM, as compare/PROTOCOL.md says.

The backend is `sqlite-sharded`, the one that TinyMongo's own table is about: four SQLite files, WAL, synchronous FULL.
"""

import json
import platform
import sys
import time
from importlib.metadata import version

from tinymongo import MongoClient


class Unsupported(Exception):
    """The API cannot express it; the text says why."""


def digest(texts):
    """Return FNV-1a 64 over texts, a byte 0xFF after each, as hexadecimal digits."""
    value = 0xCBF29CE484222325
    for text in texts:
        for byte in text.encode() + b"\xff":
            value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def key(i):
    return f"doc-{i}"


def record(i):
    return {"_id": key(i), "i": i, "group": f"g{i % 10}", "payload": f"value-{i}"}


class Records:
    """The open collection of workload TM."""

    def __init__(self, request):
        self.dir = request["dir"]
        self.count = request["count"]
        self.process = request.get("process", 0)
        self.processes = request.get("processes", 1)
        self.open()

    def open(self):
        self.client = MongoClient(tinymongo_folder=self.dir, backend="sqlite-sharded")
        self.records = self.client.comparison.records
        # The first copy makes the collection; a look-up warms what a query needs.
        self.records.find_one({"_id": "none"})
        if self.process == 0:
            self.records.insert_one({"_id": "none"})
            self.records.delete_one({"_id": "none"})

    def close(self):
        self.client.close()

    def share(self, first, step):
        """Return the positions of this copy."""
        positions = range(first, self.count, step)
        return [i for at, i in enumerate(positions) if at % self.processes == self.process]

    def run(self, request):
        op = request["op"]
        if op == "TM-insert":
            batch = [record(i) for i in self.share(0, 1)]
            return self.at(request, lambda: len(self.records.insert_many(batch).inserted_ids))
        if op == "TM-read":
            return self.at(request, lambda: len(list(self.records.find({}))))
        if op == "TM-point":
            keys = [key(i) for i in self.share(0, 5)]
            return self.at(request, lambda: sum(self.records.find_one({"_id": k})["i"] for k in keys))
        if op == "TM-update":
            keys = [key(i) for i in self.share(0, 10)]
            one_more = {"$inc": {"i": 1}}
            return self.at(
                request, lambda: sum(self.records.update_one({"_id": k}, one_more).modified_count for k in keys)
            )
        if op == "TM-delete":
            keys = [key(i) for i in self.share(1, 10)]
            return self.at(request, lambda: sum(self.records.delete_one({"_id": k}).deleted_count for k in keys))
        raise Unsupported(f"the engine does not know the operation {op}")

    @staticmethod
    def at(request, work):
        """Wait for the moment that the runner names, work, and say when that was."""
        moment = request["start_unix_ns"]
        while (left := moment - time.time_ns()) > 0:
            # Sleeping is not exact: the last two milliseconds are spent looking at the clock.
            if left > 2_000_000:
                time.sleep((left - 2_000_000) / 1e9)
        start = time.time_ns()
        answer = work()
        return {"start_unix_ns": start, "end_unix_ns": time.time_ns(), "answer": answer}

    def digest(self):
        found = sorted(self.records.find({}), key=lambda r: (r["i"], r["_id"].encode()))
        texts = (text for r in found for text in (r["_id"], str(r["i"]), r["group"], r["payload"]))
        return {"count": len(found), "digest": digest(texts)}


class Engine:
    """What is open, and the answers to requests."""

    def __init__(self):
        self.records = None

    def answer(self, request):
        what = request.get("do")
        if what == "hello":
            return {
                "protocol": 1,
                "engine": "tinymongo",
                "version": f"TinyMongo {version('tinymongo')}",
                "runtime": f"{platform.python_implementation()} {platform.python_version()}",
                "language": "Python",
                "variants": ["ordinary"],
                "workloads": ["TM"],
                "servers": [],
            }
        if what == "open":
            return self.open(request)
        if what == "close":
            self.close()
            return {}
        if self.records is None:
            raise RuntimeError("no database is open")
        if what == "run":
            return self.records.run(request)
        if what == "digest":
            return {"answer": self.records.digest()}
        if what == "reopen":
            self.records.close()
            self.records.open()
            return {}
        raise Unsupported(f"the engine does not know the request {what}")

    def open(self, request):
        self.close()
        if request.get("workload") != "TM":
            raise Unsupported(f"TinyMongo has no program for the workload {request.get('workload')}")
        self.records = Records(request)
        notes = [] if request.get("durability") == "full" else ["its durability cannot be turned off"]
        return {
            "settings": {"backend": "sqlite-sharded", "shards": 4, "journal": "WAL", "synchronous": "FULL"},
            "notes": notes,
        }

    def close(self):
        if self.records is not None:
            self.records.close()
            self.records = None


def main():
    engine = Engine()
    for line in sys.stdin:
        try:
            reply = {"ok": engine.answer(json.loads(line))}
        except Unsupported as why:
            reply = {"unsupported": str(why)}
        # Whatever goes wrong is the answer; the next request may be right.
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
    engine.close()


if __name__ == "__main__":
    main()
