// The events of workload EV: eleven fields, the same in any language, and the digest that proves it.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Compare
{
    /// <summary>One event. The mapper of Store.cs names its fields as the other engines do.</summary>
    public sealed class Event
    {
        public long Id { get; set; }
        public string System { get; set; }
        public string MachineName { get; set; }
        public string AggId { get; set; }
        public long UnixTimestamp { get; set; }
        public string Type { get; set; }
        public string Username { get; set; }
        public string Tags { get; set; }
        public int Level { get; set; }
        public string Message { get; set; }
        public string Body { get; set; }
    }

    /// <summary>The generator of events: an event depends on its position and on the number of events alone.</summary>
    public static class Events
    {
        private static readonly string[] Systems = { "ui console", "ui web", "core", "batch", "mail" };
        private static readonly string[] Machines = { "NODE-01", "NODE-02", "NODE-03", "HOST-1", "HOST-2" };
        private static readonly string[] Aggregates = { "AB-1", "AB-2", "XY-1", "QR-1" };
        private static readonly string[] QuietTypes = { "Info", "Warning", "Debug" };

        /// <summary>Returns `count` events; their timestamps are permuted, or rise with the id.</summary>
        public static IEnumerable<Event> Generate(long count, bool ascending)
        {
            for (long i = 0; i < count; i++)
            {
                yield return Generate(i, ascending ? i : i * 7919 % count);
            }
        }

        private static Event Generate(long i, long offset)
        {
            // The initialiser runs as written: this is the order of the stream of draws.
            var draws = new SplitMix64(unchecked((ulong)(i + 1) * 0x2545F4914F6CDD1DUL));
            return new Event
            {
                Id = i + 1,
                System = Systems[i % 5],
                MachineName = Machines[i % 5],
                AggId = Aggregates[i % 4],
                UnixTimestamp = 1700000000 + offset,
                Type = TypeOf(draws.Draw()),
                Username = Text(draws, 3, 10, Letter),
                Tags = draws.Draw() % 40 == 0 ? "NOK" : "OK",
                Level = (int)(draws.Draw() % 6),
                Message = Text(draws, 20, 21, LetterOrSpace),
                Body = Text(draws, 620, 311, LetterOrSpace)
            };
        }

        private static string TypeOf(ulong draw)
        {
            return draw % 10 == 0 ? "Error" : QuietTypes[draw % 10 % 3];
        }

        /// <summary>Draws a length of `shortest` to `shortest + lengths - 1`, then that many characters.</summary>
        private static string Text(SplitMix64 draws, int shortest, int lengths, Func<ulong, char> character)
        {
            var text = new char[shortest + (int)(draws.Draw() % (ulong)lengths)];
            for (int i = 0; i < text.Length; i++)
            {
                text[i] = character(draws.Draw());
            }
            return new string(text);
        }

        private static char Letter(ulong draw)
        {
            int letter = (int)(draw % 52);
            return (char)(letter < 26 ? 'A' + letter : 'a' + letter - 26);
        }

        private static char LetterOrSpace(ulong draw)
        {
            int letter = (int)(draw % 27);
            return letter == 26 ? ' ' : (char)('a' + letter);
        }
    }

    /// <summary>The stream of pseudo-random numbers that every input of the workloads comes from.</summary>
    public sealed class SplitMix64
    {
        private ulong state;

        public SplitMix64(ulong state)
        {
            this.state = state;
        }

        public ulong Draw()
        {
            unchecked
            {
                state += 0x9E3779B97F4A7C15UL;
                ulong z = state;
                z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
                z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
                return z ^ (z >> 31);
            }
        }
    }

    /// <summary>FNV-1a 64 over texts, a byte 0xFF after each, or over plain bytes.</summary>
    public sealed class Digest
    {
        private ulong value = 0xCBF29CE484222325UL;

        /// <summary>The digest of what was added, as sixteen hexadecimal digits.</summary>
        public string Value
        {
            get { return value.ToString("x16"); }
        }

        public void Add(Event e)
        {
            Text(e.Id.ToString(CultureInfo.InvariantCulture));
            Text(e.System);
            Text(e.MachineName);
            Text(e.AggId);
            Text(e.UnixTimestamp.ToString(CultureInfo.InvariantCulture));
            Text(e.Type);
            Text(e.Username);
            Text(e.Tags);
            Text(e.Level.ToString(CultureInfo.InvariantCulture));
            Text(e.Message);
            Text(e.Body);
        }

        /// <summary>Adds a text and its end.</summary>
        public void Text(string text)
        {
            Bytes(Encoding.UTF8.GetBytes(text));
            Byte(0xFF);
        }

        public void Bytes(byte[] bytes)
        {
            foreach (byte b in bytes)
            {
                Byte(b);
            }
        }

        private void Byte(byte b)
        {
            value = unchecked((value ^ b) * 0x100000001B3UL);
        }
    }
}
