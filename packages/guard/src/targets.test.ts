import { describe, expect, test } from "vitest";
import { publicOnly } from "./policy.ts";
import { parseHost, parseTarget } from "./target.ts";

const development = { allowLoopback: true, allowNetworks: [] };

/** URL spellings of addresses that are not ours to call, and the address each one means. */
const hiddenAddresses: [url: string, address: string][] = [
  ["https://127.0.0.1/", "127.0.0.1"],
  ["https://127.0.0.1:8443/hook", "127.0.0.1"],
  ["HTTPS://127.0.0.1/", "127.0.0.1"],
  ["https://127.0.0.1./", "127.0.0.1"],
  ["https://127.1/", "127.0.0.1"],
  ["https://127.0.1/", "127.0.0.1"],
  ["https://2130706433/", "127.0.0.1"],
  ["https://017700000001/", "127.0.0.1"],
  ["https://0x7f000001/", "127.0.0.1"],
  ["https://0X7F000001/", "127.0.0.1"],
  ["https://0x7f.0x0.0x0.0x1/", "127.0.0.1"],
  ["https://0x7f.1/", "127.0.0.1"],
  ["https://0177.0.0.1/", "127.0.0.1"],
  ["https://0177.0x0.0.1/", "127.0.0.1"],
  ["https://0000000177.0.0.1/", "127.0.0.1"],
  ["https://127.0x000000000001/", "127.0.0.1"],
  ["https://127.65530/", "127.0.255.250"],
  ["https://%31%32%37.0.0.1/", "127.0.0.1"],
  ["https://127%2e0%2e0%2e1/", "127.0.0.1"],
  ["https://%30x7f.1/", "127.0.0.1"],
  ["https://１２７.０.０.１/", "127.0.0.1"],
  ["https://127。0。0。1/", "127.0.0.1"],
  ["https://127．0．0．1/", "127.0.0.1"],
  ["https://127｡0｡0｡1/", "127.0.0.1"],
  ["https://①②⑦.0.0.1/", "127.0.0.1"],
  ["https://𝟙𝟚𝟟.0.0.1/", "127.0.0.1"],
  ["https://127.0.0.1%E3%80%82/", "127.0.0.1"],
  ["https://１２７.１/", "127.0.0.1"],
  ["https://12\u00ad7.0.0.1/", "127.0.0.1"],
  ["https://127.0.0\u200b.1/", "127.0.0.1"],
  ["https://0/", "0.0.0.0"],
  ["https://0.0.0.0/", "0.0.0.0"],
  ["https://00000/", "0.0.0.0"],
  ["https://0x0/", "0.0.0.0"],
  ["https://10.0.0.5/", "10.0.0.5"],
  ["https://10.5/", "10.0.0.5"],
  ["https://0xa.5/", "10.0.0.5"],
  ["https://012.0.0.5/", "10.0.0.5"],
  ["https://167772165/", "10.0.0.5"],
  ["https://172.16.0.1/", "172.16.0.1"],
  ["https://2886729729/", "172.16.0.1"],
  ["https://192.168.257/", "192.168.1.1"],
  ["https://3232235777/", "192.168.1.1"],
  ["https://0300.0250.1.1/", "192.168.1.1"],
  ["https://169.254.169.254/latest/meta-data/", "169.254.169.254"],
  ["https://169.254.43518/", "169.254.169.254"],
  ["https://2852039166/", "169.254.169.254"],
  ["https://0xa9fea9fe/", "169.254.169.254"],
  ["https://0251.0376.0251.0376/", "169.254.169.254"],
  ["https://0xA9.0xFE.0xA9.0xFE/", "169.254.169.254"],
  ["https://100.100.100.200/", "100.100.100.200"],
  ["https://168.63.129.16/", "168.63.129.16"],
  ["https://255.255.255.255/", "255.255.255.255"],
  ["https://4294967295/", "255.255.255.255"],
  ["https://[::1]/", "::1"],
  ["https://[::1]:8443/", "::1"],
  ["https://[0:0:0:0:0:0:0:1]/", "::1"],
  ["https://[0000:0000:0000:0000:0000:0000:0000:0001]/", "::1"],
  ["https://[::0.0.0.1]/", "::1"],
  ["https://[::]/", "::"],
  ["https://[0::0]/", "::"],
  ["https://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
  ["https://[::FFFF:7F00:1]/", "::ffff:7f00:1"],
  ["https://[0:0:0:0:0:ffff:127.0.0.1]/", "::ffff:7f00:1"],
  ["https://[::ffff:169.254.169.254]/", "::ffff:a9fe:a9fe"],
  ["https://[::127.0.0.1]/", "::7f00:1"],
  ["https://[64:ff9b::169.254.169.254]/", "64:ff9b::a9fe:a9fe"],
  ["https://[64:ff9b:1::10.0.0.1]/", "64:ff9b:1::a00:1"],
  ["https://[2002:7f00:1::]/", "2002:7f00:1::"],
  ["https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "2001:0:4136:e378:8000:63bf:80ff:fffe"],
  ["https://[fd00:ec2::254]/", "fd00:ec2::254"],
  ["https://[fe80::1]/", "fe80::1"],
  ["https://[fec0::1]/", "fec0::1"],
  ["https://[ff02::1]/", "ff02::1"],
  ["https://localhost/", "127.0.0.1"],
  ["https://LOCALHOST/", "127.0.0.1"],
  ["https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "127.0.0.1"],
  ["https://loc%61lhost/", "127.0.0.1"],
  ["https://api.localhost:8443/", "127.0.0.1"],
];

const part = "a".repeat(63);
/** 253 characters. */
const longestName = [part, part, part, "a".repeat(61)].join(".");

const refusedSpellings: [url: string, reason: RegExp][] = [
  ["", /not a URL/],
  ["hooks.example.com", /not a URL/],
  ["//hooks.example.com/", /not a URL/],
  ["https:hooks.example.com", /not a URL/],
  ["https:/hooks.example.com", /not a URL/],
  ["https:///hooks.example.com", /not a URL/],
  ["https:https://hooks.example.com/", /not a URL/],
  ["https://", /not a URL/],
  ["https://?x", /not a URL/],
  ["https://:8443/", /not a URL/],
  ["https://hooks.example.com:65536/", /port must be a number/],
  ["https://hooks.example.com:65536", /port must be a number/],
  ["https://[2001:db8::1]:-1?x", /port must be a number/],
  ["https://hooks.example.com:port/", /port must be a number/],
  ["https://[::1/", /not a URL/],
  ["https://[::1%25lo]/", /not a URL/],
  ["https://[fe80::1%25eth0]/", /not a URL/],
  ["https://[fe80::1%eth0]/", /not a URL/],
  ["https://[127.0.0.1]/", /not a URL/],
  ["https://1.2.3.4.5/", /not a URL/],
  ["https://256.256.256.256/", /not a URL/],
  ["https://4294967296/", /not a URL/],
  ["https://127.0.0.0x100000000/", /not a URL/],
  ["https://hooks.example.0x1/", /not a URL/],
  ["https://exa%00mple.com/", /not a URL/],
  ["https://exa%2Fmple.com/", /not a URL/],
  ["https://a^b.example.com/", /not a URL/],
  ["http://hooks.example.com/", /must use https/],
  ["http://127.0.0.1/", /must use https/],
  ["ftp://hooks.example.com/", /must use https/],
  ["wss://hooks.example.com/", /must use https/],
  ["file://hooks.example.com/etc/passwd", /must use https/],
  ["gopher://hooks.example.com/", /must use https/],
  ["https+unix://hooks.example.com/", /must use https/],
  ["https://user@hooks.example.com/", /credentials/],
  ["https://user:password@hooks.example.com/", /credentials/],
  ["https://:password@hooks.example.com/", /credentials/],
  ["https://hooks.example.com@127.0.0.1/", /credentials/],
  ["https://hooks.example.com%40127.0.0.1@hooks.example.com/", /credentials/],
  ["https://hooks.example.com:0/", /Port 0/],
  ["https://hooks.example.com\\@127.0.0.1/", /backslash/],
  ["https:\\\\hooks.example.com/", /backslash/],
  [" https://hooks.example.com/", /spaces/],
  ["https://hooks.example.com/ ", /spaces/],
  ["https://hooks.exam\nple.com/", /spaces/],
  ["https://hooks.exam\tple.com/", /spaces/],
  ["https://hooks.example.com/\u0000", /spaces/],
  ["https://hooks.example.com/\u0085", /spaces/],
  ["ht\ntps://hooks.example.com/", /spaces/],
  ["https://hooks.example.com./", /ends with a dot/],
  ["https://localhost./", /ends with a dot/],
  ["https://hooks..example.com/", /not a host/],
  ["https://.example.com/", /not a host/],
  ["https://-hooks.example.com/", /not a host/],
  ["https://hooks-.example.com/", /not a host/],
  ["https://ho*ks.example.com/", /not a host/],
  ["https://ho'ks.example.com/", /not a host/],
  ["https://a,b.example.com/", /not a host/],
  ["https://a;b.example.com/", /not a host/],
  [`https://${"a".repeat(64)}.example.com/`, /not a host|not a URL/],
  [`https://${"abcdefg.".repeat(32)}com/`, /not a host|not a URL/],
  [`https://${longestName}a/`, /not a host|not a URL/],
  [`https://hooks.example.com/${"a".repeat(2023)}`, /longer than 2048/],
];

const accepted: [url: string, host: string, port: number, path: string][] = [
  ["https://hooks.example.com", "hooks.example.com", 443, "/"],
  ["https://HOOKS.Example.COM:443/a?b=c#d", "hooks.example.com", 443, "/a?b=c"],
  ["https://hooks.example.com:8443/a/../b", "hooks.example.com", 8443, "/b"],
  ["https://my_hooks.example.com/", "my_hooks.example.com", 443, "/"],
  ["https://bücher.example/ü", "xn--bcher-kva.example", 443, "/%C3%BC"],
  ["https://ｅxample.com/", "example.com", 443, "/"],
  ["https://127.0.0.1.nip.example/", "127.0.0.1.nip.example", 443, "/"],
  ["https://0x7f.1.example/", "0x7f.1.example", 443, "/"],
  ["https://localhost.example.com/", "localhost.example.com", 443, "/"],
  ["https://notlocalhost/", "notlocalhost", 443, "/"],
  ["https://93.184.216.34/", "93.184.216.34", 443, "/"],
  ["https://0x5db8d822/", "93.184.216.34", 443, "/"],
  ["https://[2606:4700:4700::1111]:8443/", "2606:4700:4700::1111", 8443, "/"],
  ["https://@hooks.example.com/", "hooks.example.com", 443, "/"],
  [`https://${longestName}/`, longestName, 443, "/"],
  [`https://hooks.example.com/${"a".repeat(2022)}`, "hooks.example.com", 443, `/${"a".repeat(2022)}`],
];

describe("a URL", () => {
  test.each(hiddenAddresses)("%j is refused: it means %s", (url, address) => {
    expect(parseTarget(url, publicOnly)).toMatchObject({
      kind: "refused_address",
      message: expect.stringContaining(`${address} is not a publicly routable address`),
    });
  });

  test.each(refusedSpellings)("%j is refused with the reason", (url, reason) => {
    expect(parseTarget(url, publicOnly)).toEqual({
      kind: "refused_url",
      message: expect.stringMatching(reason),
    });
  });

  test.each(accepted)("%j is read as host %s, port %i, path %s", (url, name, port, path) => {
    expect(parseTarget(url, publicOnly)).toMatchObject({
      kind: "target",
      href: new URL(url).origin + path,
      origin: new URL(url).origin,
      secure: true,
      host: { name },
      port,
      path,
    });
  });
});

describe("in development", () => {
  test.each([
    ["http://localhost:3000/hook", 3000],
    ["http://127.0.0.1/", 80],
    ["http://[::1]:8080/", 8080],
    ["http://api.localhost/", 80],
    ["https://localhost/", 443],
  ])("%j is a target", (url, port) => {
    expect(parseTarget(url, development)).toMatchObject({ kind: "target", port });
  });

  test.each(["http://hooks.example.com/", "http://93.184.216.34/", "ftp://127.0.0.1/", "ws://localhost/"])(
    "%j still needs https",
    (url) => {
      expect(parseTarget(url, development)).toMatchObject({ message: expect.stringMatching(/use https/) });
    },
  );

  test.each(["http://10.0.0.1/", "https://0.0.0.0/", "http://[::ffff:127.0.0.1]/"])(
    "%j stays refused",
    (url) => {
      expect(parseTarget(url, development).kind).toBe("refused_address");
    },
  );
});

describe("a host without a URL", () => {
  test.each([
    ["db.example.com", "db.example.com"],
    ["DB.Example.com", "db.example.com"],
    ["93.184.216.34", "93.184.216.34"],
    ["2606:4700::1", "2606:4700::1"],
    ["[2606:4700::1]", "2606:4700::1"],
  ])("%j is read as %s", (text, name) => {
    expect(parseHost(text, publicOnly)).toMatchObject({ kind: "host", name });
  });

  test.each(["127.1", "0x7f000001", "::1", "[::1]", "::ffff:127.0.0.1", "localhost", "１０.0.0.1"])(
    "%j is refused for its address",
    (text) => expect(parseHost(text, publicOnly).kind).toBe("refused_address"),
  );

  test.each([
    ...["", " ", "a b", "db.example.com:5432", "db.example.com:", "[::1]:5432", "user@db.example.com", "a/b"],
    ...["a?b", "a#b", "a\\b", "fe80::1%eth0", "[x@[::1]", "[]", "db.example.com.", "db\n.example.com"],
  ])("%j is refused as a host", (text) => {
    expect(parseHost(text, publicOnly).kind).toBe("refused_url");
  });
});
