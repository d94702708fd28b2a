// Workload TM on LiteDB: the small documents of TinyMongo's table, in one process.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using LiteDB;

namespace Compare
{
    /// <summary>A document of workload TM.</summary>
    public sealed class Small
    {
        [BsonId]
        public string Id { get; set; }

        [BsonField("i")]
        public long I { get; set; }

        [BsonField("group")]
        public string Group { get; set; }

        [BsonField("payload")]
        public string Payload { get; set; }
    }

    public sealed class SharedWorkload : Workload
    {
        private readonly string path;
        private readonly long count;
        private readonly long process;
        private readonly long processes;
        private readonly bool isDurable;
        private Database database;
        private ILiteCollection<Small> documents;

        public SharedWorkload(Fields request)
        {
            path = Path.Combine(request.Text("dir"), "shared.db");
            count = request.Long("count");
            process = request.Int("process", 0);
            processes = request.Int("processes", 1);
            isDurable = request.Text("durability") != "off";
            if (processes > 1)
            {
                throw new UnsupportedException("direct mode has one process; LiteDB's shared mode needs a system-wide mutex");
            }
            OpenFile();
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

        public override object Digest()
        {
            var all = documents.FindAll().OrderBy(d => d.I).ThenBy(d => d.Id, StringComparer.Ordinal).ToList();
            var digest = new Digest();
            foreach (Small d in all)
            {
                digest.Text(d.Id);
                digest.Text(d.I.ToString(CultureInfo.InvariantCulture));
                digest.Text(d.Group);
                digest.Text(d.Payload);
            }
            return new Dictionary<string, object> { { "count", all.Count }, { "digest", digest.Value } };
        }

        public override Dictionary<string, object> Run(Fields request)
        {
            bool isOrdinary = request.Text("variant") == "ordinary";
            switch (request.Text("op"))
            {
                case "TM-insert":
                    var share = Share(0, 1).Select(Document).ToList();
                    return At(request, () => isOrdinary ? InsertBatch(share) : InsertEach(share));
                case "TM-read":
                    return At(request, () => documents.FindAll().LongCount());
                case "TM-point":
                    var looked = Share(0, 5).Select(Key).ToList();
                    return At(request, () => looked.Sum(key => documents.FindById(key).I));
                case "TM-update":
                    var updated = Share(0, 10).Select(Key).ToList();
                    return At(request, () => updated.Sum(key => Increment(key, isOrdinary)));
                case "TM-delete":
                    var deleted = Share(1, 10).Select(Key).ToList();
                    return At(request, () => deleted.Sum(key => Delete(key)));
                default:
                    throw Unknown(request);
            }
        }

        private long InsertBatch(List<Small> share)
        {
            long inserted = documents.Insert(share);
            database.Secure();
            return inserted;
        }

        private long InsertEach(List<Small> share)
        {
            foreach (Small document in share)
            {
                documents.Insert(document);
                database.Secure();
            }
            return share.Count;
        }

        private long Increment(string key, bool isOrdinary)
        {
            long changed;
            if (isOrdinary)
            {
                Small document = documents.FindById(key);
                document.I++;
                changed = documents.Update(document) ? 1 : 0;
            }
            else
            {
                changed = documents.UpdateMany("{i: $.i + 1}", BsonExpression.Create("$._id = @0", key));
            }
            database.Secure();
            return changed;
        }

        private long Delete(string key)
        {
            bool isDeleted = documents.Delete(key);
            database.Secure();
            return isDeleted ? 1 : 0;
        }

        /// <summary>Waits for the moment that the runner names, works, and says when that was.</summary>
        private static Dictionary<string, object> At(Fields request, Func<long> work)
        {
            Clock.WaitUntil(request.Long("start_unix_ns"));
            long start = Clock.UnixNanoseconds();
            long answer = work();
            return new Dictionary<string, object>
            {
                { "start_unix_ns", start },
                { "end_unix_ns", Clock.UnixNanoseconds() },
                { "answer", answer }
            };
        }

        /// <summary>The share of this process in the positions `first`, `first` + `step`, ..</summary>
        private IEnumerable<long> Share(long first, long step)
        {
            for (long i = first, at = 0; i < count; i += step, at++)
            {
                if (at % processes == process)
                {
                    yield return i;
                }
            }
        }

        private static string Key(long i)
        {
            return "doc-" + i.ToString(CultureInfo.InvariantCulture);
        }

        private static Small Document(long i)
        {
            return new Small { Id = Key(i), I = i, Group = "g" + i % 10, Payload = "value-" + i };
        }

        private void OpenFile()
        {
            database = new Database(path, isDurable);
            documents = database.Lite.GetCollection<Small>("documents");
            // The collection is there, and the plan of a look-up warm, before anything is timed.
            documents.EnsureIndex(d => d.Id);
            documents.FindById("none");
        }
    }
}
