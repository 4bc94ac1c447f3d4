import os

from flask import Flask, request

from chairside import verify

app = Flask(__name__)


@app.post("/webhooks")
def receive():
    header = request.headers.get("X-Service-Signature", "")
    try:
        verify(request.get_data(), header, os.environ["CHAIRSIDE_WEBHOOK_SECRET"])
    except ValueError as error:
        return str(error), 400, {"Content-Type": "text/plain"}
    event = request.get_json()
    print(event["event"], event["id"], flush=True)  # put your work into a queue here, and respond at once
    return "", 204
