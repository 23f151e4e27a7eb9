"""once.py <url> <calls>: makes one network, asked for so many times at once with one Idempotency-Key; prints the answer.

Fails when the answers differ, or when another number than expected was not replayed (1 of many, 0 after a restart).
"""

import concurrent.futures
import json
import os
import sys
import urllib.request

url, calls = sys.argv[1], int(sys.argv[2])
fresh = 0 if "--again" in sys.argv else 1


def call(_):
    request = urllib.request.Request(
        url + "/v1/projects/default/networks",
        data=json.dumps({"name": "once", "cidr": "10.79.0.0/16"}).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["CONTRACT_TOKEN"],
            "Content-Type": "application/json",
            "Idempotency-Key": "contract-once",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status, answer.read(), answer.headers.get("Idempotency-Replayed")


with concurrent.futures.ThreadPoolExecutor(calls) as pool:
    answers = list(pool.map(call, range(calls)))
different = {(status, body) for status, body, _ in answers}
made = sum(1 for *_, replayed in answers if replayed is None)
if len(different) != 1 or made != fresh:
    sys.exit(f"{len(different)} different answers, {made} of {calls} calls made something")
print(answers[0][1].decode())
