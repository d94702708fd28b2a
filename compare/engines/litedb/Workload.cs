// A database, open and filled for one workload.

using System;
using System.Collections.Generic;

namespace Compare
{
    public abstract class Workload : IDisposable
    {
        /// <summary>What the engine can be asked.</summary>
        public static readonly string[] Names = { "EV", "TM", "FS", "MX" };

        /// <summary>Opens the database that the request names, and fills it.</summary>
        public static Workload Open(Fields request)
        {
            string name = request.Text("workload");
            switch (name)
            {
                case "EV": return new EventWorkload(request);
                case "TM": return new SharedWorkload(request);
                case "FS": return new FileWorkload(request);
                case "MX": return new MatrixWorkload(request);
                default: throw new UnsupportedException("LiteDB has no program for the workload " + name);
            }
        }

        /// <summary>What a reader needs to judge the comparison.</summary>
        public abstract Dictionary<string, object> Settings();

        /// <summary>Does an operation.</summary>
        public abstract Dictionary<string, object> Run(Fields request);

        /// <summary>Closes the database and opens it again.</summary>
        public abstract void Reopen();

        public abstract void Dispose();

        /// <summary>Makes these the secondary indexes, and no others.</summary>
        public virtual Dictionary<string, object> Indexes(List<object> fields)
        {
            throw new UnsupportedException("the workload has no indexes");
        }

        /// <summary>Returns the digest of the whole collection.</summary>
        public virtual object Digest()
        {
            throw new UnsupportedException("the workload has no collection");
        }

        /// <summary>Returns the refusal of an operation that nobody knows.</summary>
        protected static UnsupportedException Unknown(Fields request)
        {
            return new UnsupportedException("the engine does not know the operation " + request.Text("op"));
        }
    }
}
