// The correctness matrix on LiteDB: LINQ on typed objects, as its documentation shows it. What it says is not corrected.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Linq.Expressions;
using System.Text;
using LiteDB;

namespace Compare
{
    /// <summary>A document of the matrix.</summary>
    public sealed class Person
    {
        public long Id { get; set; }
        public string Name { get; set; }
        public long? Age { get; set; }
        public string Team { get; set; }
        public List<string> Tags { get; set; }
        public double Score { get; set; }
        public decimal Price { get; set; }
        public DateTime At { get; set; }
        public long Big { get; set; }
    }

    /// <summary>A document whose key LiteDB gives.</summary>
    public sealed class Keyed
    {
        public int Id { get; set; }
    }

    public sealed class MatrixWorkload : Workload
    {
        private readonly string path;
        private readonly bool isDurable;
        private Database database;
        private ILiteCollection<Person> people;

        public MatrixWorkload(Fields request)
        {
            path = Path.Combine(request.Text("dir"), "matrix.db");
            isDurable = request.Text("durability") != "off";
            OpenFile();
            people.Insert(request.List("documents").Select(document => Read(new Fields(document))));
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
            try
            {
                return Fields.Of("answer", Answer(request));
            }
            catch (NotSupportedException e)
            {
                throw new UnsupportedException("LiteDB's LINQ refuses it: " + e.Message);
            }
        }

        private object Answer(Fields request)
        {
            string name = request.Text("name");
            switch (request.Text("case"))
            {
                case "null-equals": return Ids(p => p.Name == name);
                case "null-in-list":
                    var names = request.List("names").Cast<string>().ToList();
                    return Ids(p => names.Contains(p.Name));
                case "not-equals": return Ids(p => !(p.Name == name));
                case "differs": return Ids(p => p.Name != name);
                case "not-greater":
                case "either-half":
                case "range-over-null": return Ages(request);
                case "prefix":
                    string prefix = request.Text("prefix");
                    return Ids(p => p.Name.StartsWith(prefix));
                case "unicode-order": return people.Query().OrderBy(p => p.Name).ToList().Select(p => p.Id);
                case "text-order": return Ids(p => string.CompareOrdinal(p.Name, name) > 0);
                case "length":
                    long measured = request.Long("id");
                    return people.Query().Where(p => p.Id == measured).Select(p => p.Name.Length).First();
                case "integer-equals":
                case "integer-read":
                case "integer-division":
                case "integer-remainder":
                case "decimal-equals":
                case "decimal-sum":
                case "double-read": return Numbers(request);
                case "instant-equals":
                    DateTime at = Instant(request.Text("at"));
                    return Ids(p => p.At == at);
                case "instant-before":
                    DateTime end = Instant(request.Text("at"));
                    return Ids(p => p.At < end);
                case "any-of-list":
                    string tag = request.Text("tag");
                    return Ids(p => p.Tags.Any(t => t == tag));
                case "duplicates-in-list": return people.FindById(request.Long("id")).Tags;
                case "group-by-nullable": return Groups();
                case "union":
                case "intersect":
                case "except": throw new UnsupportedException("LiteDB has no set operators");
                case "keyset-ties": return Pages(request.Int("len"));
                default: return Written(request);
            }
        }

        private object Ages(Fields request)
        {
            long age = request.Long("age");
            switch (request.Text("case"))
            {
                case "not-greater": return Ids(p => !(p.Age > age));
                case "either-half": return Ids(p => p.Age > age || !(p.Age > age));
                default: return Ids(p => p.Age < age);
            }
        }

        private object Numbers(Fields request)
        {
            switch (request.Text("case"))
            {
                case "integer-equals":
                    long big = long.Parse(request.Text("big"), CultureInfo.InvariantCulture);
                    return Ids(p => p.Big == big);
                case "integer-read":
                    return All().Select(p => p.Big.ToString(CultureInfo.InvariantCulture));
                case "integer-division": return Ids(p => p.Id / 2 == 1);
                case "integer-remainder": return Ids(p => p.Age % 2 == 1);
                case "decimal-equals":
                    decimal price = decimal.Parse(request.Text("price"), CultureInfo.InvariantCulture);
                    return Ids(p => p.Price == price);
                case "decimal-sum":
                    var which = new BsonArray(request.Longs("ids").Select(id => new BsonValue(id)));
                    BsonDocument sum = people.Query()
                        .Where("$._id IN @0", which)
                        .Select("{sum: SUM(*.Price)}")
                        .First();
                    return sum["sum"].AsDecimal.ToString(CultureInfo.InvariantCulture);
                default: return All().Select(p => p.Score);
            }
        }

        private object Groups()
        {
            var groups = people.Query().GroupBy("$.Team").Select("{team: @key, n: COUNT(*)}").ToList();
            return groups.Select(group => new object[] { group["team"].AsString, group["n"].AsInt64 });
        }

        /// <summary>LiteDB orders by one expression; a list is one, and lists are compared value by value.</summary>
        private object Pages(int len)
        {
            var ids = new List<long>();
            BsonValue team = BsonValue.MinValue;
            long id = 0;
            List<Person> page;
            do
            {
                page = people.Query()
                    .Where("[$.Team, $._id] > [@0, @1]", team, id)
                    .OrderBy("[$.Team, $._id]")
                    .Limit(len)
                    .ToList();
                ids.AddRange(page.Select(p => p.Id));
                if (page.Count > 0)
                {
                    team = new BsonValue(page[page.Count - 1].Team);
                    id = page[page.Count - 1].Id;
                }
            }
            while (page.Count == len && ids.Count < 100);
            return ids;
        }

        private object Written(Fields request)
        {
            switch (request.Text("case"))
            {
                case "id-after-delete": return IsNewKey();
                case "write-in-open-read":
                    int seen = 0;
                    foreach (Person person in people.FindAll())
                    {
                        seen++;
                        person.Age = 7;
                        people.Update(person);
                    }
                    return new[] { seen, people.Count(p => p.Age == 7) };
                case "batch-with-duplicate":
                    try
                    {
                        people.Insert(new[] { 101, 102, 1 }.Select(id => new Person { Id = id }));
                    }
                    catch (LiteException)
                    {
                        // It must fail; what it leaves behind is the question.
                    }
                    return people.Count();
                case "text-with-nul":
                    people.Insert(new Person { Id = 101, Name = "a\0b" });
                    return people.FindById(101).Name;
                case "long-list":
                    var tags = Enumerable.Range(0, request.Int("count")).Select(i => "t" + i).ToList();
                    people.Insert(new Person { Id = 101, Tags = tags });
                    return people.FindById(101).Tags.Count;
                case "file-replace-fails": return Replaced();
                case "file-shrink-and-gap":
                    throw new UnsupportedException("LiteDB's files are written from start to end");
                case "move-folder": throw new UnsupportedException("LiteDB's files cannot be renamed");
                default:
                    throw new UnsupportedException("the engine does not know the case " + request.Text("case"));
            }
        }

        private bool IsNewKey()
        {
            var keyed = database.Lite.GetCollection<Keyed>("keyed");
            var keys = Enumerable.Range(0, 3).Select(_ => keyed.Insert(new Keyed()).AsInt32).ToList();
            keyed.Delete(keys[2]);
            return keyed.Insert(new Keyed()).AsInt32 != keys[2];
        }

        private string Replaced()
        {
            ILiteStorage<string> files = database.Lite.FileStorage;
            files.Upload("/f", "f", new MemoryStream(Encoding.UTF8.GetBytes("old")));
            try
            {
                files.Upload("/f", "f", new FailingStream());
            }
            catch (IOException)
            {
                // It must fail; what it leaves behind is the question.
            }
            var content = new MemoryStream();
            files.Download("/f", content);
            return Encoding.UTF8.GetString(content.ToArray());
        }

        private List<long> Ids(Expression<Func<Person, bool>> which)
        {
            return people.Find(which).Select(p => p.Id).OrderBy(id => id).ToList();
        }

        private List<Person> All()
        {
            return people.FindAll().OrderBy(p => p.Id).ToList();
        }

        private static Person Read(Fields fields)
        {
            return new Person
            {
                Id = fields.Long("id"),
                Name = fields.Text("name"),
                Age = (long?)fields.Any("age"),
                Team = fields.Text("team"),
                Tags = fields.List("tags").Cast<string>().ToList(),
                Score = Convert.ToDouble(fields.Any("score"), CultureInfo.InvariantCulture),
                Price = decimal.Parse(fields.Text("price"), CultureInfo.InvariantCulture),
                At = Instant(fields.Text("at")),
                Big = long.Parse(fields.Text("big"), CultureInfo.InvariantCulture)
            };
        }

        private static DateTime Instant(string text)
        {
            return DateTimeOffset.Parse(text, CultureInfo.InvariantCulture).UtcDateTime;
        }

        private void OpenFile()
        {
            database = new Database(path, isDurable);
            people = database.Lite.GetCollection<Person>("people");
        }

        /// <summary>A file of which only the first half can be read.</summary>
        private sealed class FailingStream : MemoryStream
        {
            public FailingStream() : base(Enumerable.Repeat((byte)'n', 600000).ToArray())
            {
            }

            public override int Read(byte[] buffer, int offset, int count)
            {
                if (Position >= Length / 2)
                {
                    throw new IOException("the other half is gone");
                }
                return base.Read(buffer, offset, count);
            }
        }
    }
}
