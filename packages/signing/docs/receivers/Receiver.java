// Run with: CHAIRSIDE_WEBHOOK_SECRET=whsec_... java Receiver.java (Java 11 or later)
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Receiver {
    private static final int LIMIT = 1024 * 1024;

    /** The message is the code of the refusal. */
    public static final class Refused extends Exception {
        public Refused(String code) {
            super(code);
        }
    }

    private static final String[] SECRETS = readSecrets();

    /** Returns one secret, or several with commas between them. Without a valid secret, this class cannot be used. */
    private static String[] readSecrets() {
        String[] secrets = System.getenv().getOrDefault("CHAIRSIDE_WEBHOOK_SECRET", "").split(",", -1);
        for (String secret : secrets)
            if (secrets.length > 16 || secret.getBytes(UTF_8).length < 16 || !secret.equals(secret.strip()))
                throw new IllegalStateException("CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes,"
                        + " without blanks around them.");
        return secrets;
    }

    /** Takes the received bytes and every value of X-Service-Signature, or null. Throws unless the service signed them. */
    public static void verify(byte[] body, List<String> headers) throws Refused, GeneralSecurityException {
        if (headers == null || headers.isEmpty() || headers.equals(List.of(""))) throw new Refused("missing_header");
        if (headers.size() > 1 || headers.get(0).length() > 4096) throw new Refused("malformed_header");
        List<String> times = new ArrayList<>();
        List<byte[]> signatures = new ArrayList<>();
        for (String part : headers.get(0).split(",[ \t]*", -1)) {
            if (part.matches("t=[0-9]{1,12}")) times.add(part.substring(2));
            else if (part.matches("v1=[0-9A-Fa-f]{64}")) signatures.add(fromHex(part.substring(3)));
            else if (part.startsWith("t=") || part.startsWith("v1=") || !part.matches("[!-<>-~]+=[!-<>-~]*"))
                throw new Refused("malformed_header");
        }
        if (times.size() != 1 || signatures.size() > 16) throw new Refused("malformed_header");
        if (signatures.isEmpty()) throw new Refused("no_signature");

        boolean equal = false;
        for (String secret : SECRETS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            mac.update((times.get(0) + ".").getBytes(UTF_8));
            byte[] expected = mac.doFinal(body);
            for (byte[] signature : signatures) equal |= MessageDigest.isEqual(expected, signature);
        }
        if (!equal) throw new Refused("mismatch");

        long age = System.currentTimeMillis() / 1000 - Long.parseLong(times.get(0));
        if (Math.abs(age) > 300) throw new Refused(age > 0 ? "too_old" : "too_new");
    }

    private static byte[] fromHex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }

    public static Map<?, ?> readEvent(byte[] body) throws Refused {
        try {
            Object value = new Json(UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString()).read();
            if (value instanceof Map) {
                Map<?, ?> event = (Map<?, ?>) value;
                Object time = event.get("timestamp");
                boolean whole = time instanceof Double && Math.rint((Double) time) - (Double) time == 0;
                boolean strings = event.get("id") instanceof String && event.get("event") instanceof String;
                if (whole && strings && event.get("data") instanceof Map) return event;
            }
        } catch (CharacterCodingException | IllegalArgumentException invalid) {
            // Refused below, as the JSON of something else is.
        }
        throw new Refused("bad_json");
    }

    /** Parses JSON, because the standard library of Java does not. Use your own parser if you have one. */
    private static final class Json {
        private static final Pattern SCALAR =
                Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null");
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object read() {
            Object value = readValue(0);
            if (at < text.length()) throw new IllegalArgumentException("text after the value");
            return value;
        }

        private Object readValue(int depth) {
            skipBlanks();
            Object value;
            if (depth > 500) throw new IllegalArgumentException("too deep");
            if (take('"')) value = readString();
            else if (take('{')) value = readObject(depth);
            else if (take('[')) value = readArray(depth);
            else value = readScalar();
            skipBlanks();
            return value;
        }

        private Map<String, Object> readObject(int depth) {
            Map<String, Object> object = new HashMap<>();
            skipBlanks();
            if (take('}')) return object;
            do {
                skipBlanks();
                expect('"');
                String name = readString();
                skipBlanks();
                expect(':');
                object.put(name, readValue(depth + 1));
            } while (take(','));
            expect('}');
            return object;
        }

        private List<Object> readArray(int depth) {
            List<Object> array = new ArrayList<>();
            skipBlanks();
            if (take(']')) return array;
            do array.add(readValue(depth + 1));
            while (take(','));
            expect(']');
            return array;
        }

        private String readString() {
            StringBuilder string = new StringBuilder();
            while (!take('"')) {
                char next = next();
                if (next < ' ') throw new IllegalArgumentException("a control character");
                if (next != '\\') {
                    string.append(next);
                    continue;
                }
                char escape = next();
                int plain = "\"\\/bfnrt".indexOf(escape);
                if (plain >= 0) string.append("\"\\/\b\f\n\r\t".charAt(plain));
                else if (escape == 'u') string.append((char) Integer.parseInt("" + next() + next() + next() + next(), 16));
                else throw new IllegalArgumentException("an unknown escape");
            }
            return string.toString();
        }

        private Object readScalar() {
            Matcher scalar = SCALAR.matcher(text).region(at, text.length());
            if (!scalar.lookingAt()) throw new IllegalArgumentException("no value");
            at = scalar.end();
            char first = scalar.group().charAt(0);
            if (first == 'n') return null;
            if (first == 't' || first == 'f') return first == 't';
            return Double.valueOf(scalar.group());
        }

        private void skipBlanks() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        private boolean take(char wanted) {
            boolean found = at < text.length() && text.charAt(at) == wanted;
            if (found) at++;
            return found;
        }

        private void expect(char wanted) {
            if (!take(wanted)) throw new IllegalArgumentException("no " + wanted);
        }

        private char next() {
            if (at == text.length()) throw new IllegalArgumentException("no end");
            return text.charAt(at++);
        }
    }

    private static void receive(HttpExchange exchange) throws IOException {
        try {
            if (!exchange.getRequestURI().getPath().equals("/webhooks")) {
                respond(exchange, 404, "");
                return;
            }
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.getResponseHeaders().set("Allow", "POST");
                respond(exchange, 405, "");
                return;
            }
            byte[] body = exchange.getRequestBody().readNBytes(LIMIT + 1);
            if (body.length > LIMIT) {
                respond(exchange, 413, "");
                return;
            }
            verify(body, exchange.getRequestHeaders().get("X-Service-Signature"));
            Map<?, ?> event = readEvent(body);
            // Put the event into a queue here, and respond at once. An event can arrive twice: process each id once.
            System.out.println(event.get("event") + " " + event.get("id"));
            exchange.sendResponseHeaders(204, -1);
        } catch (Refused refused) {
            respond(exchange, 400, refused.getMessage());
        } catch (GeneralSecurityException | RuntimeException failure) {
            failure.printStackTrace();
            respond(exchange, 500, "");
        } finally {
            exchange.close();
        }
    }

    private static void respond(HttpExchange exchange, int status, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(status, text.isEmpty() ? -1 : text.length());
        exchange.getResponseBody().write(text.getBytes(UTF_8));
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", Receiver::receive);
        server.start();
    }
}
