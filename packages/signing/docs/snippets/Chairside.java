import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Chairside {
    /** Returns the Unix time of signing; throws if the request must be refused. The usual tolerance is 300 seconds. */
    public static long verify(byte[] body, String header, String secret, long tolerance, long now)
            throws GeneralSecurityException {
        List<String> times = new ArrayList<>();
        List<byte[]> signatures = new ArrayList<>();
        if (header.length() > 4096) throw new GeneralSecurityException("malformed header");
        for (String part : header.split(",[ \t]*", -1)) {
            if (part.matches("t=[0-9]{1,12}")) times.add(part.substring(2));
            else if (part.matches("v1=[0-9A-Fa-f]{64}")) signatures.add(fromHex(part.substring(3)));
            else if (part.startsWith("t=") || part.startsWith("v1=") || !part.matches("[!-<>-~]+=[!-<>-~]*"))
                throw new GeneralSecurityException("malformed header");
        }
        if (times.size() != 1 || signatures.isEmpty() || signatures.size() > 16)
            throw new GeneralSecurityException("malformed header");

        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        mac.update((times.get(0) + ".").getBytes(UTF_8));
        byte[] expected = mac.doFinal(body);
        boolean equal = false;
        for (byte[] signature : signatures) equal |= MessageDigest.isEqual(expected, signature);
        if (!equal) throw new GeneralSecurityException("signature mismatch");

        long timestamp = Long.parseLong(times.get(0));
        if (Math.abs(now - timestamp) > tolerance)
            throw new GeneralSecurityException("signed too long ago, or in the future");
        return timestamp;
    }

    private static byte[] fromHex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++)
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        return bytes;
    }
}
