import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.GeneralSecurityException;
import java.util.Base64;

class Driver {
    public static void main(String[] arguments) throws Exception {
        Base64.Decoder base64 = Base64.getDecoder();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split("\t", -1);
            String header = new String(base64.decode(fields[0]), UTF_8);
            String secret = new String(base64.decode(fields[1]), UTF_8);
            try {
                Chairside.verify(base64.decode(fields[2]), header, secret, 300, Long.parseLong(fields[3]));
                System.out.println("accept");
            } catch (GeneralSecurityException refused) {
                System.out.println("refuse");
            }
        }
    }
}
