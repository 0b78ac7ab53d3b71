import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";

// The driver decodes strings with a decoder that drops a leading U+FEFF, and has no option for that.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
accessors.textDecoder.decode = decoder.decode.bind(decoder);
