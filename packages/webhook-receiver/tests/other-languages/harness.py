import base64, sys
from receiver import verify

decode = base64.b64decode
for line in open(sys.argv[2]):
    secrets, *headers, body = line.rstrip("\n").split("\t")
    lists = [[decode(value).decode() for value in values.split(",") if value] for values in headers]
    names = ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"]
    values_of = dict(zip(names, lists)).__getitem__
    print(str(verify(secrets.split(","), values_of, decode(body), int(sys.argv[1]))).lower())
