// JSON as the protocol has it, without a package: what a line means is then no engine's opinion.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Compare
{
    /// <summary>
    /// Reads a value to null, bool, long, double, string, List&lt;object&gt; or Dictionary&lt;string, object&gt;.
    /// </summary>
    public sealed class JsonReader
    {
        private readonly string text;
        private int at;

        private JsonReader(string text)
        {
            this.text = text;
        }

        public static object Read(string text)
        {
            var reader = new JsonReader(text);
            object value = reader.Value();
            reader.Space();
            if (reader.at < text.Length)
            {
                throw reader.Unexpected();
            }
            return value;
        }

        private object Value()
        {
            switch (Peek())
            {
                case '{': return Object();
                case '[': return Array();
                case '"': return Text();
                case 't': Word("true"); return true;
                case 'f': Word("false"); return false;
                case 'n': Word("null"); return null;
                default: return Number();
            }
        }

        private Dictionary<string, object> Object()
        {
            var members = new Dictionary<string, object>();
            at++;
            while (Peek() != '}')
            {
                if (members.Count > 0)
                {
                    Take(',');
                }
                Peek();
                string name = Text();
                Take(':');
                members[name] = Value();
            }
            at++;
            return members;
        }

        private List<object> Array()
        {
            var values = new List<object>();
            at++;
            while (Peek() != ']')
            {
                if (values.Count > 0)
                {
                    Take(',');
                }
                values.Add(Value());
            }
            at++;
            return values;
        }

        private string Text()
        {
            Take('"');
            var result = new StringBuilder();
            while (true)
            {
                char c = Next();
                if (c == '"')
                {
                    return result.ToString();
                }
                result.Append(c == '\\' ? Escaped() : c);
            }
        }

        private char Escaped()
        {
            char c = Next();
            switch (c)
            {
                case 'b': return '\b';
                case 'f': return '\f';
                case 'n': return '\n';
                case 'r': return '\r';
                case 't': return '\t';
                case 'u':
                    string digits = "" + Next() + Next() + Next() + Next();
                    return (char)int.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
                default: return c;
            }
        }

        private object Number()
        {
            int start = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0)
            {
                at++;
            }
            string number = text.Substring(start, at - start);
            long whole;
            double real;
            if (long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole))
            {
                return whole;
            }
            if (double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out real))
            {
                return real;
            }
            at = start;
            throw Unexpected();
        }

        private void Word(string word)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                throw Unexpected();
            }
            at += word.Length;
        }

        private void Space()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0)
            {
                at++;
            }
        }

        /// <summary>The next character that is no space, not taken.</summary>
        private char Peek()
        {
            Space();
            char c = Next();
            at--;
            return c;
        }

        private void Take(char expected)
        {
            if (Peek() != expected)
            {
                throw Unexpected();
            }
            at++;
        }

        private char Next()
        {
            if (at >= text.Length)
            {
                throw Unexpected();
            }
            return text[at++];
        }

        private FormatException Unexpected()
        {
            string found = at < text.Length ? "'" + text[at] + "'" : "the end";
            return new FormatException("the request is no JSON: " + found + " at character " + at);
        }
    }

    /// <summary>Writes dictionaries, sequences, texts, numbers, truth values and null.</summary>
    public static class JsonWriter
    {
        public static string Write(object value)
        {
            var output = new StringBuilder();
            Write(output, value);
            return output.ToString();
        }

        private static void Write(StringBuilder output, object value)
        {
            if (value == null)
            {
                output.Append("null");
            }
            else if (value is string)
            {
                Text(output, (string)value);
            }
            else if (value is bool)
            {
                output.Append((bool)value ? "true" : "false");
            }
            else if (value is double)
            {
                Real(output, (double)value);
            }
            else if (value is IDictionary<string, object>)
            {
                Object(output, (IDictionary<string, object>)value);
            }
            else if (value is IEnumerable)
            {
                Array(output, (IEnumerable)value);
            }
            else
            {
                output.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
            }
        }

        private static void Object(StringBuilder output, IDictionary<string, object> members)
        {
            string separator = "{";
            foreach (var member in members)
            {
                output.Append(separator);
                Text(output, member.Key);
                output.Append(':');
                Write(output, member.Value);
                separator = ",";
            }
            output.Append(members.Count == 0 ? "{}" : "}");
        }

        private static void Array(StringBuilder output, IEnumerable values)
        {
            string separator = "[";
            foreach (object value in values)
            {
                output.Append(separator);
                Write(output, value);
                separator = ",";
            }
            output.Append(separator == "[" ? "[]" : "]");
        }

        private static void Real(StringBuilder output, double value)
        {
            if (double.IsNaN(value) || double.IsInfinity(value))
            {
                output.Append("null");
                return;
            }
            string digits = value.ToString("R", CultureInfo.InvariantCulture);
            output.Append(digits);
            // A real stays one for whoever reads it.
            if (digits.IndexOfAny(new[] { '.', 'E' }) < 0)
            {
                output.Append(".0");
            }
        }

        private static void Text(StringBuilder output, string text)
        {
            output.Append('"');
            foreach (char c in text)
            {
                if (c == '"' || c == '\\')
                {
                    output.Append('\\').Append(c);
                }
                else if (c < ' ' || char.IsSurrogate(c))
                {
                    output.Append("\\u").Append(((int)c).ToString("x4"));
                }
                else
                {
                    output.Append(c);
                }
            }
            output.Append('"');
        }
    }
}
