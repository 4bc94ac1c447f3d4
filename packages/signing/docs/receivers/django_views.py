import json
import os

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from chairside import verify


@csrf_exempt  # the signature takes the place of the CSRF token
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    header = request.headers.get("X-Service-Signature", "")
    try:
        verify(request.body, header, os.environ["CHAIRSIDE_WEBHOOK_SECRET"])
    except ValueError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain")
    event = json.loads(request.body)
    print(event["event"], event["id"], flush=True)  # put your work into a queue here, and respond at once
    return HttpResponse(status=204)
