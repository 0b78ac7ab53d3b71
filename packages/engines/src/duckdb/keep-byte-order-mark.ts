import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";

// The driver reads strings with a decoder that drops a leading U+FEFF, and offers no other way.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
accessors.textDecoder.decode = decoder.decode.bind(decoder);
