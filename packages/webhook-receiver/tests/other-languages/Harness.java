import com.sun.net.httpserver.Headers;
import java.nio.file.*;
import java.util.*;

class Harness {
  public static void main(String[] args) throws Exception {
    String[] names = {"svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"};
    for (String line : Files.readAllLines(Path.of(args[1]))) {
      String[] fields = line.split("\t", -1);
      Headers headers = new Headers();
      for (int index = 0; index < names.length; index++)
        for (String value : fields[index + 1].split(","))
          if (!value.isEmpty()) headers.add(names[index], new String(decode(value), "UTF-8"));
      List<String> secrets = List.of(fields[0].split(","));
      System.out.println(Receiver.verify(secrets, headers, decode(fields[4]), Double.parseDouble(args[0])));
    }
  }

  static byte[] decode(String text) {
    return Base64.getDecoder().decode(text);
  }
}
