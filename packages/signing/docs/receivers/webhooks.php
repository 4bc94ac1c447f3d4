<?php

require __DIR__ . '/chairside.php';

$body = file_get_contents('php://input');
$header = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
try {
    chairside_verify($body, $header, getenv('CHAIRSIDE_WEBHOOK_SECRET'));
} catch (UnexpectedValueException $error) {
    http_response_code(400);
    header('Content-Type: text/plain');
    exit($error->getMessage());
}
$event = json_decode($body);
error_log("$event->event $event->id"); // put your work into a queue here, and respond at once
http_response_code(204);
