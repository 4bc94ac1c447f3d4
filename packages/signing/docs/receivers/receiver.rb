# A Rack app. Run with: gem install puma && CHAIRSIDE_WEBHOOK_SECRET=whsec_... puma -b tcp://127.0.0.1:3000 ./receiver.rb
# In Rails: mount Receiver => '/webhooks'
require 'json'
require 'openssl'

module Receiver
  LIMIT = 1024 * 1024

  # The message is the code of the refusal.
  class Refused < StandardError; end

  # One secret, or several with commas between them. Without a valid secret, the receiver does not start.
  SECRETS = ENV.fetch('CHAIRSIDE_WEBHOOK_SECRET', '').split(',', -1)
  if !SECRETS.size.between?(1, 16) || SECRETS.any? { |secret| secret.bytesize < 16 || secret != secret.strip }
    abort 'CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes, without blanks around them.'
  end

  # Takes the received bytes and the value of X-Service-Signature. Raises Refused unless the service signed them.
  def self.verify(body, header)
    raise Refused, 'missing_header' if header.nil? || header.empty?
    raise Refused, 'malformed_header' if header.bytesize > 4096

    times = []
    signatures = []
    header.split(/,[ \t]*/, -1).each do |part|
      case part
      when /\At=[0-9]{1,12}\z/ then times << part[2..]
      when /\Av1=[0-9A-Fa-f]{64}\z/ then signatures << [part[3..]].pack('H*')
      when /\A(t|v1)=/ then raise Refused, 'malformed_header'
      when /\A[!-<>-~]+=[!-<>-~]*\z/ then next
      else raise Refused, 'malformed_header'
      end
    end
    # Rack servers join repeated headers, so a second header is a second `t`.
    raise Refused, 'malformed_header' if times.size != 1 || signatures.size > 16
    raise Refused, 'no_signature' if signatures.empty?

    equal = false
    SECRETS.each do |secret|
      expected = OpenSSL::HMAC.digest('SHA256', secret, "#{times[0]}.".b + body)
      signatures.each { |signature| equal |= OpenSSL.fixed_length_secure_compare(expected, signature) }
    end
    raise Refused, 'mismatch' unless equal

    age = Time.now.to_i - times[0].to_i
    raise Refused, (age.positive? ? 'too_old' : 'too_new') if age.abs > 300
  end

  def self.read_event(body)
    text = body.dup.force_encoding(Encoding::UTF_8)
    event = JSON.parse(text)
    time = event['timestamp']
    whole = time.is_a?(Numeric) && time.finite? && (time % 1).zero?
    strings = [event['id'], event['event']].all?(String)
    raise Refused, 'bad_json' unless text.valid_encoding? && whole && strings && event['data'].is_a?(Hash)

    event
  rescue JSON::ParserError, NoMethodError, TypeError
    raise Refused, 'bad_json'
  end

  def self.call(env)
    return respond(404) if "#{env['SCRIPT_NAME']}#{env['PATH_INFO']}" != '/webhooks'
    return respond(405, '', 'allow' => 'POST') if env['REQUEST_METHOD'] != 'POST'

    body = env['rack.input']&.read(LIMIT + 1).to_s.b
    return respond(413) if body.bytesize > LIMIT

    verify(body, env['HTTP_X_SERVICE_SIGNATURE'])
    event = read_event(body)
    # Put the event into a queue here, and respond at once. An event can arrive twice: process each id once.
    puts "#{event['event']} #{event['id']}"
    [204, {}, []]
  rescue Refused => e
    respond(400, e.message)
  end

  def self.respond(status, text = '', headers = {})
    [status, { 'content-type' => 'text/plain', **headers }, [text]]
  end
end
