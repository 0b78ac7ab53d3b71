require_relative "receiver"

now, file = ARGV
names = %w[svc-webhook-id svc-webhook-timestamp svc-webhook-signature]
File.foreach(file, chomp: true) do |line|
  secrets, *headers, body = line.split("\t", -1)
  lists = headers.map { |values| values.split(",").map { |value| value.unpack1("m") } }
  puts verify(secrets.split(","), names.zip(lists).to_h, body.unpack1("m"), now.to_i)
end
