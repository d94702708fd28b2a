// Workload EV on LiteDB: LINQ as its documentation shows it, and its own expressions where they are faster.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using LiteDB;

namespace Compare
{
    public sealed class EventWorkload : Workload
    {
        private const string Collection = "events";
        private readonly string dir;
        private readonly long count;
        private readonly bool isDurable;
        private Database database;
        private ILiteCollection<Event> events;

        public EventWorkload(Fields request)
        {
            dir = request.Text("dir");
            count = request.Long("count");
            isDurable = request.Text("durability") != "off";
            OpenFile();
            events.Insert(Events.Generate(count, false));
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

        public override object Digest()
        {
            return Digest(events);
        }

        public override Dictionary<string, object> Indexes(List<object> wanted)
        {
            var fields = wanted.Cast<List<object>>().ToList();
            if (fields.Any(field => field.Count != 1))
            {
                throw new UnsupportedException("LiteDB's indexes have one expression: no compound index");
            }
            foreach (string name in IndexNames())
            {
                events.DropIndex(name);
            }
            database.Secure();
            var names = fields.Select(field => (string)field[0]).ToList();
            var clock = new Clock();
            clock.Time(() =>
            {
                names.ForEach(name => events.EnsureIndex(name, "$." + name));
                database.Secure();
                return true;
            });
            return clock.Ran(IndexNames().Count);
        }

        public override Dictionary<string, object> Run(Fields request)
        {
            bool isTuned = request.Text("variant") == "tuned";
            switch (request.Text("op"))
            {
                case "EV1": return Insert(request, isTuned);
                case "EV3": return Clock.Run(request, () => events.LongCount(), n => n);
                case "EV4":
                    string prefix = request.Text("prefix");
                    return Clock.Run(request, () => CountPrefix(prefix, isTuned), n => n);
                case "EV5": return TwoPrefixes(request, isTuned);
                case "EV6": return Pages(request, isTuned);
                case "EV7": return Walk(request);
                case "EV8": return LookUps(request);
                case "EV9": return isTuned ? GroupsOfKeys(request) : Groups(request);
                case "EV10": return isTuned ? UpdateMany(request) : UpdateObjects(request);
                case "EV11": return Callers(request, isTuned);
                case "EV12": return Tags(request, isTuned);
                case "EV13": return Compile(request, isTuned);
                case "EV14": return Stream(request);
                default: throw Unknown(request);
            }
        }

        private Dictionary<string, object> Insert(Fields request, bool isTuned)
        {
            var batch = Events.Generate(count, false).ToList();
            string fresh = Path.Combine(dir, "fresh");
            var clock = new Clock();
            object answer = null;
            for (int repeat = request.Int("repeat", 1); repeat > 0; repeat--)
            {
                Directory.CreateDirectory(fresh);
                using (var other = new Database(Path.Combine(fresh, "events.db"), isDurable))
                {
                    var target = other.Lite.GetCollection<Event>(Collection);
                    clock.Time(() =>
                    {
                        // One batch is one transaction; both names insert it in the same way.
                        int inserted = isTuned ? target.InsertBulk(batch, batch.Count) : target.Insert(batch);
                        other.Secure();
                        return inserted;
                    });
                    answer = Digest(target);
                }
                Directory.Delete(fresh, true);
            }
            return clock.Ran(answer);
        }

        private int CountPrefix(string prefix, bool isTuned)
        {
            return isTuned
                ? events.Query().Where(Range("$.system", 0), prefix, After(prefix)).Select("$.system").Count()
                : events.Count(e => e.System.StartsWith(prefix));
        }

        private Dictionary<string, object> TwoPrefixes(Fields request, bool isTuned)
        {
            string machine = request.Text("machine"), aggregate = request.Text("aggregate");
            // LiteDB takes the index of the first of two like terms: the one that fewer documents fulfil.
            BsonExpression both = BsonExpression.Create(
                Range("$.agg_id", 0) + " AND " + Range("$.machine_name", 2),
                aggregate, After(aggregate), machine, After(machine));
            return Clock.Run(
                request,
                () => isTuned
                    ? events.Query().Where(both).Select("{m: $.machine_name}").Count()
                    : events.Count(e => e.MachineName.StartsWith(machine) && e.AggId.StartsWith(aggregate)),
                n => n);
        }

        private Dictionary<string, object> Pages(Fields request, bool isTuned)
        {
            string prefix = request.Text("prefix");
            int len = request.Int("len");
            var offsets = request.Longs("offsets").Select(offset => (int)offset).ToList();
            return Clock.Run(
                request,
                () => offsets.SelectMany(at => isTuned ? TunedPage(prefix, at, len) : Page(prefix, at, len)).ToList(),
                Whole);
        }

        private List<Event> Page(string prefix, int offset, int len)
        {
            return events.Query()
                .Where(e => e.System.StartsWith(prefix))
                .OrderByDescending(e => e.UnixTimestamp)
                .Skip(offset)
                .Limit(len)
                .ToList();
        }

        /// <summary>
        /// Near the start the index on the time is walked; farther on the ids are sorted, and only the page is read
        /// as a whole.
        /// </summary>
        private IEnumerable<Event> TunedPage(string prefix, int offset, int len)
        {
            if (offset <= 1000)
            {
                // A computed term cannot use the index on `system`, so that the order can use the one on the time.
                return events.Query()
                    .Where(Range("$.system + ''", 0), prefix, After(prefix))
                    .OrderByDescending(e => e.UnixTimestamp)
                    .Skip(offset)
                    .Limit(len)
                    .ToList();
            }
            var ids = events.Query()
                .Where(Range("$.system", 0), prefix, After(prefix))
                .OrderByDescending(e => e.UnixTimestamp)
                .Select("{id: $._id}")
                .Skip(offset)
                .Limit(len)
                .ToList();
            return ids.Select(document => events.FindById(document["id"]));
        }

        private Dictionary<string, object> Walk(Fields request)
        {
            string prefix = request.Text("prefix");
            int len = request.Int("len");
            return Clock.Run(
                request,
                () =>
                {
                    var walked = new List<Event>();
                    List<Event> page;
                    long before = long.MaxValue;
                    do
                    {
                        page = events.Query()
                            .Where(e => e.System.StartsWith(prefix) && e.UnixTimestamp < before)
                            .OrderByDescending(e => e.UnixTimestamp)
                            .Limit(len)
                            .ToList();
                        walked.AddRange(page);
                        before = page.Count > 0 ? page[page.Count - 1].UnixTimestamp : 0;
                    }
                    while (page.Count == len);
                    return walked;
                },
                Whole);
        }

        private Dictionary<string, object> LookUps(Fields request)
        {
            var ids = request.Longs("ids");
            bool isSnapshot = request.Flag("snapshot");
            return Clock.Run(
                request,
                () =>
                {
                    if (isSnapshot)
                    {
                        database.Lite.BeginTrans();
                    }
                    try
                    {
                        return ids.Select(id => events.FindById(id)).Where(e => e != null).ToList();
                    }
                    finally
                    {
                        if (isSnapshot)
                        {
                            database.Lite.Commit();
                        }
                    }
                },
                Whole);
        }

        private Dictionary<string, object> Groups(Fields request)
        {
            return Clock.Run(
                request,
                () => events.Query()
                    .GroupBy("SUBSTRING($.username, 0, 1)")
                    .Select("{k: @key, n: COUNT(*)}")
                    .ToEnumerable()
                    .Select(group => new object[] { group["k"].AsString, group["n"].AsInt64 })
                    .ToList(),
                groups => groups.OrderBy(group => (string)group[0], StringComparer.Ordinal));
        }

        private Dictionary<string, object> GroupsOfKeys(Fields request)
        {
            return Clock.Run(
                request,
                () =>
                {
                    var groups = new SortedDictionary<string, long>(StringComparer.Ordinal);
                    var keys = events.Query().OrderBy("$.username").Select("{u: $.username}").ToEnumerable();
                    foreach (BsonDocument key in keys)
                    {
                        string initial = key["u"].AsString.Substring(0, 1);
                        long seen;
                        groups.TryGetValue(initial, out seen);
                        groups[initial] = seen + 1;
                    }
                    return groups;
                },
                groups => groups.Select(group => new object[] { group.Key, group.Value }),
                "reads the keys of the index and groups them in C#");
        }

        private Dictionary<string, object> UpdateObjects(Fields request)
        {
            string body = request.Text("body");
            long last = request.Long("last_id");
            return Clock.Run(
                request,
                () =>
                {
                    database.Lite.BeginTrans();
                    try
                    {
                        var found = events.Find(e =>
                            e.Id <= last
                            && (e.System.StartsWith("ui") || e.Type == "Error")
                            && e.MachineName.StartsWith("NOD")
                            && e.AggId.StartsWith("AB")
                            && e.Username.Length > 3).ToList();
                        found.ForEach(e => e.Body = body);
                        int changed = events.Update(found);
                        database.Lite.Commit();
                        database.Secure();
                        return changed;
                    }
                    catch
                    {
                        database.Lite.Rollback();
                        throw;
                    }
                },
                n => n);
        }

        private Dictionary<string, object> UpdateMany(Fields request)
        {
            var body = BsonExpression.Create("{body: @0}", request.Text("body"));
            var which = BsonExpression.Create(
                "$._id <= @0 AND ($.system LIKE 'ui%' OR $.type = 'Error') AND $.machine_name LIKE 'NOD%' "
                + "AND $.agg_id LIKE 'AB%' AND LENGTH($.username) > 3",
                request.Long("last_id"));
            return Clock.Run(
                request,
                () =>
                {
                    int changed = events.UpdateMany(body, which);
                    database.Secure();
                    return changed;
                },
                n => n);
        }

        private Dictionary<string, object> Callers(Fields request, bool isTuned)
        {
            var callers = request.List("callers")
                .Select(prefixes => ((List<object>)prefixes).Cast<string>().ToList())
                .ToList();
            return Clock.Run(
                request,
                () =>
                {
                    var tasks = callers
                        .Select(prefixes => Task.Factory.StartNew(
                            () => prefixes.Select(prefix => CountPrefix(prefix, isTuned)).ToList(),
                            TaskCreationOptions.LongRunning))
                        .ToArray();
                    return tasks.SelectMany(task => task.Result).ToList();
                },
                counts => counts);
        }

        private Dictionary<string, object> Tags(Fields request, bool isTuned)
        {
            string tag = request.Text("tag");
            return Clock.Run(
                request,
                () => isTuned
                    ? events.Query().Where("$.tags = @0", tag).Select("{t: $.tags}").Count()
                    : events.Count(e => e.Tags == tag),
                n => n);
        }

        /// <summary>What can be made once is the expression: a query is planned each time that it runs.</summary>
        private Dictionary<string, object> Compile(Fields request, bool isTuned)
        {
            string shape = request.Text("shape");
            string text = ExpressionOf(shape);
            if (!isTuned)
            {
                throw new UnsupportedException("LINQ is translated at each call: LiteDB prepares no query");
            }
            if (text == null)
            {
                throw new UnsupportedException("nothing to prepare: the call has no expression");
            }
            return Clock.Run(request, () => BsonExpression.Create(text), expression => expression != null);
        }

        private static string ExpressionOf(string shape)
        {
            switch (shape)
            {
                case "prefix": return Range("$.system", 0);
                case "two prefixes": return Range("$.agg_id", 0) + " AND " + Range("$.machine_name", 2);
                case "tag": return "$.tags = @0";
                case "page": return Range("$.system + ''", 0);
                case "groups": return "SUBSTRING($.username, 0, 1)";
                default: return null;
            }
        }

        private Dictionary<string, object> Stream(Fields request)
        {
            return Clock.Run(
                request,
                () =>
                {
                    long seen = 0, bytes = 0;
                    foreach (Event e in events.FindAll())
                    {
                        seen++;
                        // All texts of the generator are ASCII: a character is a byte.
                        bytes += e.System.Length + e.MachineName.Length + e.AggId.Length + e.Type.Length
                            + e.Username.Length + e.Tags.Length + e.Message.Length + e.Body.Length;
                    }
                    return new Dictionary<string, object> { { "count", seen }, { "text_bytes", bytes } };
                },
                answer => answer);
        }

        private static object Whole(IEnumerable<Event> found)
        {
            var ids = new List<long>();
            var digest = new Digest();
            foreach (Event e in found)
            {
                ids.Add(e.Id);
                digest.Add(e);
            }
            return new Dictionary<string, object> { { "ids", ids }, { "digest", digest.Value } };
        }

        private static object Digest(ILiteCollection<Event> collection)
        {
            long seen = 0;
            var digest = new Digest();
            foreach (Event e in collection.Query().OrderBy(e => e.Id).ToEnumerable())
            {
                seen++;
                digest.Add(e);
            }
            return new Dictionary<string, object> { { "count", seen }, { "digest", digest.Value } };
        }

        private static string Range(string field, int parameter)
        {
            return field + " BETWEEN @" + parameter + " AND @" + (parameter + 1);
        }

        /// <summary>A text that no text with this prefix exceeds.</summary>
        private static string After(string prefix)
        {
            return prefix + '\uffff';
        }

        private List<string> IndexNames()
        {
            return database.Lite.GetCollection("$indexes")
                .Find(BsonExpression.Create("$.collection = @0", Collection))
                .Select(index => index["name"].AsString)
                .Where(name => name != "_id")
                .ToList();
        }

        private void OpenFile()
        {
            database = new Database(Path.Combine(dir, "events.db"), isDurable);
            events = database.Lite.GetCollection<Event>(Collection);
        }
    }
}
