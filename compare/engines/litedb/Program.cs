// LiteDB as an engine of the comparison: answers the lines of standard input as compare/PROTOCOL.md says.
//
// C# 7, so that both `dotnet` and Mono's compiler take it.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Text;

namespace Compare
{
    /// <summary>What the API of an engine cannot express; the message says why.</summary>
    public sealed class UnsupportedException : Exception
    {
        public UnsupportedException(string why) : base(why)
        {
        }
    }

    public static class Program
    {
        private static Workload open;

        public static int Main()
        {
            var utf8 = new UTF8Encoding(false);
            var input = new StreamReader(Console.OpenStandardInput(), utf8);
            var output = new StreamWriter(Console.OpenStandardOutput(), utf8) { NewLine = "\n", AutoFlush = true };
            string line;
            while ((line = input.ReadLine()) != null)
            {
                output.WriteLine(JsonWriter.Write(Reply(line)));
            }
            Close();
            return 0;
        }

        private static Dictionary<string, object> Reply(string line)
        {
            try
            {
                return Fields.Of("ok", Answer(new Fields(JsonReader.Read(line))));
            }
            catch (UnsupportedException e)
            {
                return Fields.Of("unsupported", e.Message);
            }
            // Whatever goes wrong is the answer; the next request may be right.
            catch (Exception e)
            {
                Exception cause = e is AggregateException && e.InnerException != null ? e.InnerException : e;
                return Fields.Of("error", cause.GetType().Name + ": " + cause.Message);
            }
        }

        private static Dictionary<string, object> Answer(Fields request)
        {
            string what = request.Text("do");
            switch (what)
            {
                case "hello":
                    return Hello();
                case "open":
                    Close();
                    open = Workload.Open(request);
                    return open.Settings();
                case "indexes":
                    return Opened().Indexes(request.List("fields"));
                case "run":
                    return Opened().Run(request);
                case "digest":
                    return Fields.Of("answer", Opened().Digest());
                case "reopen":
                    Opened().Reopen();
                    return new Dictionary<string, object>();
                case "close":
                    Close();
                    return new Dictionary<string, object>();
                default:
                    throw new UnsupportedException("the engine does not know the request " + what);
            }
        }

        private static Dictionary<string, object> Hello()
        {
            return new Dictionary<string, object>
            {
                { "protocol", 1 },
                { "engine", "litedb" },
                { "version", "LiteDB " + typeof(LiteDB.LiteDatabase).Assembly.GetName().Version.ToString(3) },
                { "runtime", Runtime() },
                { "language", "C#" },
                { "variants", new[] { "ordinary", "tuned" } },
                { "workloads", Workload.Names },
                { "servers", new object[0] }
            };
        }

        private static string Runtime()
        {
            Type mono = Type.GetType("Mono.Runtime");
            if (mono == null)
            {
                return ".NET " + Environment.Version;
            }
            MethodInfo name = mono.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
            return "Mono " + (name == null ? "" : name.Invoke(null, null));
        }

        private static Workload Opened()
        {
            if (open == null)
            {
                throw new InvalidOperationException("no database is open");
            }
            return open;
        }

        private static void Close()
        {
            Workload closing = open;
            open = null;
            if (closing != null)
            {
                closing.Dispose();
            }
        }
    }
}
