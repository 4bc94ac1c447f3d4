<?php

/** Returns the Unix time of signing; throws if the request must be refused. Pass file_get_contents('php://input') as body. */
function chairside_verify(string $body, string $header, string $secret, int $tolerance = 300, ?int $now = null): int
{
    $times = [];
    $signatures = [];
    if (strlen($header) > 4096) {
        throw new UnexpectedValueException('malformed header');
    }
    foreach (preg_split('/,[ \t]*/', $header) as $part) {
        if (preg_match('/^t=[0-9]{1,12}$/D', $part)) {
            $times[] = substr($part, 2);
        } elseif (preg_match('/^v1=[0-9A-Fa-f]{64}$/D', $part)) {
            $signatures[] = hex2bin(substr($part, 3));
        } elseif (preg_match('/^(t|v1)=/', $part) || !preg_match('/^[!-<>-~]+=[!-<>-~]*$/D', $part)) {
            throw new UnexpectedValueException('malformed header');
        }
    }
    if (count($times) !== 1 || count($signatures) < 1 || count($signatures) > 16) {
        throw new UnexpectedValueException('malformed header');
    }

    $expected = hash_hmac('sha256', $times[0] . '.' . $body, $secret, true);
    $equal = false;
    foreach ($signatures as $signature) {
        $equal = hash_equals($expected, $signature) || $equal;
    }
    if (!$equal) {
        throw new UnexpectedValueException('signature mismatch');
    }

    $timestamp = (int) $times[0];
    if (abs(($now ?? time()) - $timestamp) > $tolerance) {
        throw new UnexpectedValueException('signed too long ago, or in the future');
    }
    return $timestamp;
}
