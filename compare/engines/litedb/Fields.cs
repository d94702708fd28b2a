// The fields of a request, each as the type that is asked for.

using System;
using System.Collections.Generic;
using System.Linq;

namespace Compare
{
    public sealed class Fields
    {
        private readonly Dictionary<string, object> members;

        public Fields(object json)
        {
            members = json as Dictionary<string, object>;
            if (members == null)
            {
                throw new FormatException("the request is no JSON object");
            }
        }

        /// <summary>Returns an object of one field.</summary>
        public static Dictionary<string, object> Of(string name, object value)
        {
            return new Dictionary<string, object> { { name, value } };
        }

        public bool Has(string name)
        {
            return members.ContainsKey(name);
        }

        /// <summary>Returns the field as it was read, null where there is none.</summary>
        public object Any(string name)
        {
            object value;
            members.TryGetValue(name, out value);
            return value;
        }

        /// <summary>Returns a text or null.</summary>
        public string Text(string name)
        {
            return (string)Any(name);
        }

        public long Long(string name)
        {
            return Number(name, Any(name));
        }

        public int Int(string name)
        {
            return checked((int)Long(name));
        }

        /// <summary>Returns a number, or `otherwise` where the field is missing.</summary>
        public int Int(string name, int otherwise)
        {
            return Has(name) ? Int(name) : otherwise;
        }

        /// <summary>Returns a truth value; a missing one is false.</summary>
        public bool Flag(string name)
        {
            return Any(name) as bool? ?? false;
        }

        public List<object> List(string name)
        {
            var list = Any(name) as List<object>;
            if (list == null)
            {
                throw new FormatException("the request has no list `" + name + "`");
            }
            return list;
        }

        public List<long> Longs(string name)
        {
            return List(name).Select(value => Number(name, value)).ToList();
        }

        private static long Number(string name, object value)
        {
            if (!(value is long))
            {
                throw new FormatException("the request has no whole number `" + name + "`");
            }
            return (long)value;
        }
    }
}
