// A LiteDB file as the comparison opens it: direct mode, ordinal texts that are kept as they are, and no automatic
// checkpoint, so that the explicit one lies inside the timed part.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using LiteDB;
using LiteDB.Engine;

namespace Compare
{
    public sealed class Database : IDisposable
    {
        private static readonly bool IsMono = Type.GetType("Mono.Runtime") != null;
        private readonly List<Stream> streams = new List<Stream>();
        private readonly bool isDurable;

        public Database(string path, bool isDurable)
        {
            this.isDurable = isDurable;
            var mapper = Mapper();
            Lite = IsMono ? new LiteDatabase(OfStreams(path), mapper) : new LiteDatabase(OfFile(path), mapper);
            if (Lite.CheckpointSize != 0)
            {
                Lite.CheckpointSize = 0;
            }
        }

        public LiteDatabase Lite { get; private set; }

        /// <summary>
        /// Makes what was committed survive a loss of power where that is compared. LiteDB 5.0.21 syncs nothing when
        /// it commits; its checkpoint syncs the file.
        /// </summary>
        public void Secure()
        {
            if (isDurable)
            {
                Lite.Checkpoint();
            }
        }

        /// <summary>What a reader needs to judge the comparison.</summary>
        public static Dictionary<string, object> Settings(bool isDurable)
        {
            var notes = new List<string>();
            if (isDurable)
            {
                notes.Add("a commit of LiteDB 5.0.21 syncs nothing: each timed transaction ends with a checkpoint");
            }
            if (IsMono)
            {
                notes.Add("on Mono the files are given as unbuffered streams: Mono's own hold back the log's last page");
            }
            return new Dictionary<string, object>
            {
                { "settings", new Dictionary<string, object>
                    {
                        { "connection", "direct" },
                        { "collation", "ordinal" },
                        { "texts", "not trimmed, empty ones kept" },
                        { "checkpoint", isDurable ? "after each timed transaction" : "when closed" }
                    }
                },
                { "notes", notes }
            };
        }

        public void Dispose()
        {
            Lite.Dispose();
            foreach (Stream stream in streams)
            {
                stream.Dispose();
            }
        }

        private static BsonMapper Mapper()
        {
            var mapper = new BsonMapper { TrimWhitespace = false, EmptyStringToNull = false };
            mapper.Entity<Event>()
                .Id(e => e.Id, false)
                .Field(e => e.System, "system")
                .Field(e => e.MachineName, "machine_name")
                .Field(e => e.AggId, "agg_id")
                .Field(e => e.UnixTimestamp, "unix_timestamp")
                .Field(e => e.Type, "type")
                .Field(e => e.Username, "username")
                .Field(e => e.Tags, "tags")
                .Field(e => e.Level, "level")
                .Field(e => e.Message, "message")
                .Field(e => e.Body, "body");
            return mapper;
        }

        private static ConnectionString OfFile(string path)
        {
            return new ConnectionString { Filename = path, Connection = ConnectionType.Direct, Collation = Ordinal() };
        }

        private ILiteEngine OfStreams(string path)
        {
            streams.Add(new SyncedStream(path));
            streams.Add(new SyncedStream(Path.ChangeExtension(path, null) + "-log.db"));
            return new LiteEngine(new EngineSettings
            {
                DataStream = streams[0],
                LogStream = streams[1],
                Collation = Ordinal()
            });
        }

        private static Collation Ordinal()
        {
            return new Collation(CultureInfo.InvariantCulture.LCID, CompareOptions.Ordinal);
        }

        /// <summary>A file without a buffer of its own, whose flush reaches the disk, as LiteDB's own one does.</summary>
        private sealed class SyncedStream : FileStream
        {
            public SyncedStream(string path)
                : base(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, 1)
            {
            }

            public override void Flush()
            {
                Flush(true);
            }
        }
    }
}
