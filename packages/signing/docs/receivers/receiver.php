<?php

// Run with: CHAIRSIDE_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:3000 receiver.php
// Under php-fpm, set `env[CHAIRSIDE_WEBHOOK_SECRET] = whsec_...` in the pool, because it clears the environment.

const CHAIRSIDE_LIMIT = 1024 * 1024;

/** The message is the code of the refusal. */
class ChairsideRefused extends Exception
{
}

/** Returns one secret, or several with commas between them. Throws `bad_secret` if one is missing, short or has blanks around it. */
function chairside_secrets(): array
{
    $secrets = explode(',', (string) getenv('CHAIRSIDE_WEBHOOK_SECRET'));
    foreach ($secrets as $secret) {
        if (count($secrets) > 16 || strlen($secret) < 16 || $secret !== trim($secret)) {
            error_log('CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes, without blanks around them.');
            throw new ChairsideRefused('bad_secret');
        }
    }
    return $secrets;
}

/** Takes the received bytes and the value of X-Service-Signature. Throws unless the service signed them with one of the secrets. */
function chairside_verify(string $body, ?string $header): void
{
    $secrets = chairside_secrets();
    if ($header === null || $header === '') {
        throw new ChairsideRefused('missing_header');
    }
    if (strlen($header) > 4096) {
        throw new ChairsideRefused('malformed_header');
    }
    $times = [];
    $signatures = [];
    foreach (preg_split('/,[ \t]*/', $header) as $part) {
        if (preg_match('/^t=[0-9]{1,12}$/D', $part)) {
            $times[] = substr($part, 2);
        } elseif (preg_match('/^v1=[0-9A-Fa-f]{64}$/D', $part)) {
            $signatures[] = hex2bin(substr($part, 3));
        } elseif (preg_match('/^(t|v1)=/', $part) || !preg_match('/^[!-<>-~]+=[!-<>-~]*$/D', $part)) {
            throw new ChairsideRefused('malformed_header');
        }
    }
    // PHP joins repeated headers, so a second header is a second `t`.
    if (count($times) !== 1 || count($signatures) > 16) {
        throw new ChairsideRefused('malformed_header');
    }
    if (count($signatures) === 0) {
        throw new ChairsideRefused('no_signature');
    }

    $equal = false;
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', $times[0] . '.' . $body, $secret, true);
        foreach ($signatures as $signature) {
            $equal = hash_equals($expected, $signature) || $equal;
        }
    }
    if (!$equal) {
        throw new ChairsideRefused('mismatch');
    }

    $age = time() - (int) $times[0];
    if (abs($age) > 300) {
        throw new ChairsideRefused($age > 0 ? 'too_old' : 'too_new');
    }
}

function chairside_event(string $body): object
{
    $event = json_decode($body);
    $timestamp = $event->timestamp ?? null;
    $whole = is_int($timestamp) || (is_float($timestamp) && is_finite($timestamp) && floor($timestamp) === $timestamp);
    if (!$whole || !is_string($event->id ?? null) || !is_string($event->event ?? null) || !is_object($event->data ?? null)) {
        throw new ChairsideRefused('bad_json');
    }
    return $event;
}

// Another file can include this one for its functions.
if (debug_backtrace() !== []) {
    return;
}

// An unexpected error of PHP does not change the status by itself, so the status is an error until the end.
http_response_code(500);
header('Content-Type: text/plain');
try {
    chairside_secrets();
    $body = file_get_contents('php://input', false, null, 0, CHAIRSIDE_LIMIT + 1);
    if (explode('?', $_SERVER['REQUEST_URI'])[0] !== '/webhooks') {
        http_response_code(404);
    } elseif ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        http_response_code(405);
        header('Allow: POST');
    } elseif (strlen($body) > CHAIRSIDE_LIMIT) {
        http_response_code(413);
    } else {
        chairside_verify($body, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null);
        $event = chairside_event($body);
        // Put the event into a queue here, and respond at once. An event can arrive twice: process each $event->id once.
        error_log("$event->event $event->id");
        http_response_code(204);
    }
} catch (ChairsideRefused $refused) {
    http_response_code($refused->getMessage() === 'bad_secret' ? 500 : 400);
    echo $refused->getMessage();
}
