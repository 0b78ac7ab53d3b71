<?php
require __DIR__ . "/receiver.php";

$names = ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"];
foreach (file($argv[2], FILE_IGNORE_NEW_LINES) as $line) {
    $fields = explode("\t", $line);
    $lists = array_map(
        fn ($values) => $values === "" ? [] : array_map("base64_decode", explode(",", $values)),
        array_slice($fields, 1, 3),
    );
    $genuine = verify(explode(",", $fields[0]), array_combine($names, $lists), base64_decode($fields[4]), $argv[1]);
    echo $genuine ? "true" : "false", "\n";
}
