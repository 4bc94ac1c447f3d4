// Run with: CHAIRSIDE_WEBHOOK_SECRET=whsec_... dotnet run, in a console project with this file, or on Mono:
// mcs Receiver.cs && mono Receiver.exe
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

public static class Receiver
{
    const int Limit = 1024 * 1024;

    /// <summary>The message is the code of the refusal.</summary>
    public sealed class RefusedException : Exception
    {
        public RefusedException(string code) : base(code) { }
    }

    static readonly Lazy<string[]> Secrets = new Lazy<string[]>(ReadSecrets);

    /// <summary>Returns one secret, or several with commas between them. Without a valid secret, the receiver does not start.</summary>
    static string[] ReadSecrets()
    {
        var secrets = (Environment.GetEnvironmentVariable("CHAIRSIDE_WEBHOOK_SECRET") ?? "").Split(',');
        foreach (var secret in secrets)
            if (secrets.Length > 16 || Encoding.UTF8.GetByteCount(secret) < 16 || secret != secret.Trim())
                throw new InvalidOperationException(
                    "CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes, without blanks around them.");
        return secrets;
    }

    /// <summary>Takes the received bytes and every value of X-Service-Signature. Throws unless the service signed them.</summary>
    public static void Verify(byte[] body, string[] headers)
    {
        if (headers == null || headers.Length == 0 || string.Concat(headers) == "") throw new RefusedException("missing_header");
        if (headers.Length > 1 || headers[0].Length > 4096) throw new RefusedException("malformed_header");
        var times = new List<string>();
        var signatures = new List<byte[]>();
        foreach (var part in Regex.Split(headers[0], ",[ \t]*"))
        {
            if (Regex.IsMatch(part, @"\At=[0-9]{1,12}\z")) times.Add(part.Substring(2));
            else if (Regex.IsMatch(part, @"\Av1=[0-9A-Fa-f]{64}\z")) signatures.Add(FromHex(part.Substring(3)));
            else if (Regex.IsMatch(part, @"\A(t|v1)=") || !Regex.IsMatch(part, @"\A[!-<>-~]+=[!-<>-~]*\z"))
                throw new RefusedException("malformed_header");
        }
        if (times.Count != 1 || signatures.Count > 16) throw new RefusedException("malformed_header");
        if (signatures.Count == 0) throw new RefusedException("no_signature");

        var start = Encoding.UTF8.GetBytes(times[0] + ".");
        var signed = new byte[start.Length + body.Length];
        start.CopyTo(signed, 0);
        body.CopyTo(signed, start.Length);
        var equal = false;
        foreach (var secret in Secrets.Value)
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            {
                var expected = hmac.ComputeHash(signed);
                foreach (var signature in signatures) equal |= CryptographicOperations.FixedTimeEquals(expected, signature);
            }
        if (!equal) throw new RefusedException("mismatch");

        var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(times[0]);
        if (Math.Abs(age) > 300) throw new RefusedException(age > 0 ? "too_old" : "too_new");
    }

    static byte[] FromHex(string digits)
    {
        var bytes = new byte[digits.Length / 2];
        for (var i = 0; i < bytes.Length; i++) bytes[i] = Convert.ToByte(digits.Substring(2 * i, 2), 16);
        return bytes;
    }

    public static Dictionary<string, object> ReadEvent(byte[] body)
    {
        try
        {
            var e = new Json(new UTF8Encoding(false, true).GetString(body)).Read() as Dictionary<string, object>;
            Func<string, object> get = name => e != null && e.TryGetValue(name, out var value) ? value : null;
            if (get("id") is string && get("event") is string && get("data") is Dictionary<string, object>
                && get("timestamp") is double time && time % 1 == 0)
                return e;
        }
        catch (Exception error) when (error is FormatException || error is ArgumentException) { }
        throw new RefusedException("bad_json");
    }

    /// <summary>Parses JSON, because Mono and .NET have no strict parser in common. On .NET, System.Text.Json can replace it.</summary>
    sealed class Json
    {
        static readonly Regex Scalar = new Regex(@"\G(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)");
        readonly string text;
        int at;

        public Json(string text) { this.text = text; }

        public object Read()
        {
            var value = ReadValue(0);
            return at == text.Length ? value : throw new FormatException("text after the value");
        }

        object ReadValue(int depth)
        {
            if (depth > 500) throw new FormatException("too deep");
            SkipBlanks();
            var value = Take('"') ? ReadString() : Take('{') ? ReadObject(depth) : Take('[') ? ReadArray(depth) : ReadScalar();
            SkipBlanks();
            return value;
        }

        object ReadObject(int depth)
        {
            var members = new Dictionary<string, object>();
            SkipBlanks();
            if (Take('}')) return members;
            do
            {
                SkipBlanks();
                Expect('"');
                var name = ReadString();
                SkipBlanks();
                Expect(':');
                members[name] = ReadValue(depth + 1);
            } while (Take(','));
            Expect('}');
            return members;
        }

        object ReadArray(int depth)
        {
            var items = new List<object>();
            SkipBlanks();
            if (Take(']')) return items;
            do items.Add(ReadValue(depth + 1)); while (Take(','));
            Expect(']');
            return items;
        }

        string ReadString()
        {
            var result = new StringBuilder();
            while (!Take('"'))
            {
                var next = Next();
                if (next < ' ') throw new FormatException("a control character");
                if (next != '\\') { result.Append(next); continue; }
                var escape = Next();
                var plain = "\"\\/bfnrt".IndexOf(escape);
                if (plain >= 0) result.Append("\"\\/\b\f\n\r\t"[plain]);
                else if (escape == 'u') result.Append((char)Convert.ToUInt16(new string(new[] { Next(), Next(), Next(), Next() }), 16));
                else throw new FormatException("an unknown escape");
            }
            return result.ToString();
        }

        object ReadScalar()
        {
            var scalar = Scalar.Match(text, at);
            if (!scalar.Success) throw new FormatException("no value");
            at += scalar.Length;
            if (scalar.Value == "null") return null;
            if (scalar.Value == "true" || scalar.Value == "false") return scalar.Value == "true";
            // Before .NET Core 3.0, a number that is too large throws; since then, it is infinite.
            return double.TryParse(scalar.Value, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
                ? number : double.PositiveInfinity;
        }

        void SkipBlanks() { while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++; }

        bool Take(char wanted)
        {
            var found = at < text.Length && text[at] == wanted;
            if (found) at++;
            return found;
        }

        void Expect(char wanted) { if (!Take(wanted)) throw new FormatException("no " + wanted); }

        char Next() => at < text.Length ? text[at++] : throw new FormatException("no end");
    }

    static void Receive(HttpListenerContext context)
    {
        var request = context.Request;
        try
        {
            if (request.Url.AbsolutePath != "/webhooks") { Respond(context, 404, ""); return; }
            if (request.HttpMethod != "POST")
            {
                context.Response.AddHeader("Allow", "POST");
                Respond(context, 405, "");
                return;
            }
            var body = ReadBody(request.InputStream);
            if (body.Length > Limit) { Respond(context, 413, ""); return; }
            // On Linux and macOS, HttpListener keeps only the last of repeated headers, which is then verified.
            Verify(body, request.Headers.GetValues("X-Service-Signature"));
            var e = ReadEvent(body);
            // Put the event into a queue here, and respond at once. An event can arrive twice: process each id once.
            Console.WriteLine(e["event"] + " " + e["id"]);
            Respond(context, 204, "");
        }
        catch (RefusedException refused) { Respond(context, 400, refused.Message); }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            Respond(context, 500, "");
        }
    }

    /// <summary>Returns at most one byte more than the limit.</summary>
    static byte[] ReadBody(Stream stream)
    {
        var bytes = new byte[Limit + 1];
        int size = 0, count;
        while ((count = stream.Read(bytes, size, bytes.Length - size)) > 0) size += count;
        Array.Resize(ref bytes, size);
        return bytes;
    }

    static void Respond(HttpListenerContext context, int status, string text)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain";
        context.Response.SendChunked = false; // Mono sends chunks if the request had some, which a 204 must not have
        context.Response.Close(Encoding.UTF8.GetBytes(text), false);
    }

    public static int Main()
    {
        try { Secrets.Value.ToString(); }
        catch (InvalidOperationException error)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
        var listener = new HttpListener();
        // HttpListener accepts only requests with this Host.
        listener.Prefixes.Add("http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "3000") + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            ThreadPool.QueueUserWorkItem(_ => Receive(context));
        }
    }
}
