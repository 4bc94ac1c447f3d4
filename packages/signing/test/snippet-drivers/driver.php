<?php

require 'chairside.php';

while (($line = fgets(STDIN)) !== false) {
    [$header, $secret, $body] = array_map('base64_decode', $fields = explode("\t", rtrim($line, "\n")));
    try {
        chairside_verify($body, $header, $secret, 300, (int) $fields[3]);
        echo "accept\n";
    } catch (UnexpectedValueException $refused) {
        echo "refuse\n";
    }
}
