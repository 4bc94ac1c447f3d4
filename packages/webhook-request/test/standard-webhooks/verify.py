import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin.buffer:
    row = json.loads(line)
    try:
        Webhook(row["secret"]).verify(row["body"].encode(), row["headers"])
        print("accept")
    except WebhookVerificationError:
        print("refuse")
