class Harness
{
    static void Main(string[] args)
    {
        string[] names = ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"];
        foreach (var line in System.IO.File.ReadLines(args[1]))
        {
            var fields = line.Split('\t');
            string[] ValuesOf(string name) =>
                fields[1 + Array.IndexOf(names, name)].Split(',').Where(value => value != "")
                    .Select(value => System.Text.Encoding.UTF8.GetString(Convert.FromBase64String(value))).ToArray();
            var genuine = Receiver.Verify(fields[0].Split(','), ValuesOf, Convert.FromBase64String(fields[4]), double.Parse(args[0]));
            Console.WriteLine(genuine ? "true" : "false");
        }
    }
}
