// Workload FS on LiteDB's file storage. It writes files from start to end: an edit reads and writes the whole file.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using LiteDB;

namespace Compare
{
    public sealed class FileWorkload : Workload
    {
        private const int SmallFiles = 200;
        private const int SmallLength = 32 * 1024;
        private const int BigLength = 6553600;
        private const int PutLength = 4096;
        private const int ManyFiles = 10000;
        private const int TailLength = 102401;
        private const string Big = "/big";
        private const string Whole = "reads and writes the whole file";
        private readonly string path;
        private readonly bool isDurable;
        private Database database;
        private ILiteStorage<string> files;

        public FileWorkload(Fields request)
        {
            path = Path.Combine(request.Text("dir"), "files.db");
            isDurable = request.Text("durability") != "off";
            OpenFile();
            for (int k = 0; k < SmallFiles; k++)
            {
                Store(Small(k), Content(k, SmallLength));
            }
            Store(Big, Content(SmallFiles, BigLength));
            database.Secure();
        }

        public override Dictionary<string, object> Settings()
        {
            return Database.Settings(isDurable);
        }

        public override void Reopen()
        {
            Dispose();
            OpenFile();
        }

        public override void Dispose()
        {
            database.Dispose();
        }

        public override Dictionary<string, object> Run(Fields request)
        {
            switch (request.Text("op"))
            {
                case "FS1": return Reads(request);
                case "FS2": return Overwrite(request);
                case "FS3": return Gap(request);
                case "FS4": return Resize(request);
                case "FS5": return request.Text("case") == "up" ? Upload(request) : Download(request);
                case "FS6": return Callers(request);
                case "FS7": return PageOfNames(request);
                default: throw Unknown(request);
            }
        }

        private Dictionary<string, object> Reads(Fields request)
        {
            int len = request.Int("len");
            string mode = request.Text("case");
            var reads = request.List("reads")
                .Cast<List<object>>()
                .Select(read => new KeyValuePair<int, long>((int)(long)read[0], (long)read[1]))
                .ToList();
            if (mode != "handle")
            {
                return Clock.Run(request, () => ReadEach(reads, len, mode == "snapshot"), DigestOf);
            }
            var handles = reads.Select(read => read.Key).Distinct().ToDictionary(k => k, k => files.OpenRead(Small(k)));
            try
            {
                return Clock.Run(
                    request, () => reads.Select(read => At(handles[read.Key], read.Value, len)).ToList(), DigestOf);
            }
            finally
            {
                foreach (var handle in handles.Values)
                {
                    handle.Dispose();
                }
            }
        }

        private List<byte[]> ReadEach(List<KeyValuePair<int, long>> reads, int len, bool isSnapshot)
        {
            if (isSnapshot)
            {
                database.Lite.BeginTrans();
            }
            try
            {
                return reads.Select(read =>
                {
                    using (var file = files.OpenRead(Small(read.Key)))
                    {
                        return At(file, read.Value, len);
                    }
                }).ToList();
            }
            finally
            {
                if (isSnapshot)
                {
                    database.Lite.Commit();
                }
            }
        }

        private Dictionary<string, object> Overwrite(Fields request)
        {
            int offset = request.Int("offset");
            byte[] edit = Content(request.Long("seed"), request.Int("len"));
            return Clock.Run(
                request,
                () =>
                {
                    byte[] content = Load(Big);
                    edit.CopyTo(content, offset);
                    return StoreSafely(Big, content);
                },
                _ => DigestOf(Load(Big)),
                Whole);
        }

        private Dictionary<string, object> Gap(Fields request)
        {
            int offset = request.Int("offset");
            var clock = new Clock();
            long before = new FileInfo(path).Length, grown = 0;
            for (int repeat = request.Int("repeat", 1); repeat > 0; repeat--)
            {
                files.Delete("/gap");
                database.Secure();
                clock.Time(() =>
                {
                    var content = new byte[offset + 1];
                    content[offset] = 0x5A;
                    return StoreSafely("/gap", content);
                });
                database.Lite.Checkpoint();
                grown = Math.Max(grown, new FileInfo(path).Length - before);
            }
            byte[] found = Load("/gap");
            var answer = LengthAnd(found, found.Skip(Math.Max(0, found.Length - TailLength)).ToArray());
            var reply = clock.Ran(answer, "writes the zeros of the gap");
            reply["bytes"] = grown;
            return reply;
        }

        private Dictionary<string, object> Resize(Fields request)
        {
            int len = request.Int("len");
            var clock = new Clock();
            for (int repeat = request.Int("repeat", 1); repeat > 0; repeat--)
            {
                StoreSafely("/copy", Load(Big));
                clock.Time(() =>
                {
                    byte[] content = Load("/copy");
                    Array.Resize(ref content, len);
                    return StoreSafely("/copy", content);
                });
            }
            byte[] found = Load("/copy");
            return clock.Ran(LengthAnd(found, found), Whole);
        }

        private Dictionary<string, object> Upload(Fields request)
        {
            byte[] content = Content(SmallFiles, BigLength);
            var clock = new Clock();
            for (int repeat = request.Int("repeat", 1); repeat > 0; repeat--)
            {
                files.Delete("/up");
                database.Secure();
                clock.Time(() => StoreSafely("/up", content));
            }
            return clock.Ran(DigestOf(Load("/up")));
        }

        private Dictionary<string, object> Download(Fields request)
        {
            return Clock.Run(request, () => Load(Big), DigestOf);
        }

        private Dictionary<string, object> Callers(Fields request)
        {
            int callers = request.Int("callers"), each = request.Int("each");
            var contents = Enumerable.Range(0, callers * each).Select(n => Content(n, PutLength)).ToList();
            Func<int, int> put = n =>
            {
                Store("/put/" + n, contents[n]);
                database.Secure();
                return 1;
            };
            Func<int, int> get = n => Load("/put/" + n).SequenceEqual(contents[n]) ? 1 : 0;
            bool isPut = request.Text("case") == "put";
            if (!isPut)
            {
                foreach (int n in Enumerable.Range(0, contents.Count).Where(n => !files.Exists("/put/" + n)))
                {
                    Store("/put/" + n, contents[n]);
                }
            }
            Func<int, int> one = isPut ? put : get;
            return Clock.Run(
                request,
                () => Enumerable.Range(0, callers)
                    .Select(caller => Task.Factory.StartNew(
                        () => Enumerable.Range(caller * each, each).Sum(one), TaskCreationOptions.LongRunning))
                    .ToArray()
                    .Sum(task => task.Result),
                n => n);
        }

        private Dictionary<string, object> PageOfNames(Fields request)
        {
            int offset = request.Int("offset"), len = request.Int("len");
            const string folder = "/many/";
            if (!files.Exists(folder + "0000"))
            {
                foreach (int k in Enumerable.Range(0, ManyFiles))
                {
                    Store(folder + k.ToString("0000"), new byte[0]);
                }
                database.Secure();
            }
            // The storage lists whole folders; a page is a query of the collection that it keeps its files in.
            var collection = database.Lite.GetCollection("_files");
            return Clock.Run(
                request,
                () => collection.Query()
                    .Where("$._id BETWEEN @0 AND @1", folder, folder + '\uffff')
                    .OrderBy("$._id")
                    .Select("{id: $._id}")
                    .Skip(offset)
                    .Limit(len)
                    .ToList(),
                page => page.Select(file => file["id"].AsString.Substring(folder.Length)));
        }

        private bool StoreSafely(string name, byte[] content)
        {
            Store(name, content);
            database.Secure();
            return true;
        }

        private void Store(string name, byte[] content)
        {
            files.Upload(name, name, new MemoryStream(content));
        }

        private byte[] Load(string name)
        {
            var content = new MemoryStream();
            files.Download(name, content);
            return content.ToArray();
        }

        private static byte[] At(Stream file, long offset, int len)
        {
            var bytes = new byte[len];
            file.Position = offset;
            int filled = 0, read;
            while (filled < len && (read = file.Read(bytes, filled, len - filled)) > 0)
            {
                filled += read;
            }
            return bytes;
        }

        /// <summary>The content of file `k`: 8 bytes a draw, little endian.</summary>
        private static byte[] Content(long k, int length)
        {
            var draws = new SplitMix64(unchecked((ulong)(k + 1) * 0x2545F4914F6CDD1DUL));
            var content = new byte[length];
            for (int at = 0; at < length; at += 8)
            {
                ulong draw = draws.Draw();
                for (int i = 0; i < 8 && at + i < length; i++)
                {
                    content[at + i] = (byte)(draw >> (8 * i));
                }
            }
            return content;
        }

        private static string Small(int k)
        {
            return "/small/" + k.ToString("000");
        }

        private static object DigestOf(IEnumerable<byte[]> parts)
        {
            var digest = new Digest();
            foreach (byte[] part in parts)
            {
                digest.Bytes(part);
            }
            return digest.Value;
        }

        private static object DigestOf(byte[] content)
        {
            return DigestOf(new[] { content });
        }

        private static object LengthAnd(byte[] whole, byte[] digested)
        {
            return new Dictionary<string, object> { { "length", whole.Length }, { "digest", DigestOf(digested) } };
        }

        private void OpenFile()
        {
            database = new Database(path, isDurable);
            files = database.Lite.FileStorage;
        }
    }
}
