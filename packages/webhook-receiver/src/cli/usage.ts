export const usage = `Usage: webhook-receiver <command>

  listen [--port 4000] [--host 127.0.0.1]
      Prints verified deliveries as they come, and why others were refused.

  send --url <address> [--type automation.run.completed]
      Sends a signed sample event to a receiver.

  explain [file] [--at <time>]
      Reads a captured HTTP request (headers, an empty line, the body, in chunks or not) from a
      file or, without one or with -, from standard input, and says whether it verifies, and if
      not, why. --at is when it was received, as ISO 8601 or Unix seconds; without it, the time
      is not judged.

Every command takes --secret whsec_… (listen and explain several times), or reads the variable
WEBHOOK_SECRET, which keeps the secret out of the shell's history. --version prints the version.
Exit status: 0 if it went well, 1 if something was refused, 2 if it could not be tried.`;
