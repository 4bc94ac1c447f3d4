import com.google.gson.Gson;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Verify {
  static class Row {
    String secret;
    String body;
    Map<String, String> headers;
  }

  public static void main(String[] args) throws Exception {
    var rows = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = rows.readLine()) != null; ) {
      Row row = new Gson().fromJson(line, Row.class);
      Map<String, List<String>> headers = new HashMap<>();
      row.headers.forEach((name, value) -> headers.put(name, List.of(value)));
      try {
        new Webhook(row.secret).verify(row.body, headers);
        System.out.println("accept");
      } catch (WebhookVerificationException error) {
        System.out.println("refuse");
      }
    }
  }
}
