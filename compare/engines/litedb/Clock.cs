// Times, taken around an operation alone.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Compare
{
    /// <summary>The times of the repetitions of an operation.</summary>
    public sealed class Clock
    {
        private readonly List<long> times = new List<long>();
        private long? processor = 0;

        /// <summary>Does `work` and notes how long it took.</summary>
        public T Time<T>(Func<T> work)
        {
            long? spent = ProcessorTime.Now();
            long start = Stopwatch.GetTimestamp();
            T result = work();
            long ticks = Stopwatch.GetTimestamp() - start;
            processor += ProcessorTime.Now() - spent;
            times.Add((long)(ticks * (1e9 / Stopwatch.Frequency)));
            return result;
        }

        /// <summary>Returns the reply with these times.</summary>
        public Dictionary<string, object> Ran(object answer, string note = null)
        {
            var reply = new Dictionary<string, object> { { "ns", times }, { "answer", answer } };
            if (processor != null)
            {
                reply["cpu_ns"] = processor;
            }
            if (note != null)
            {
                reply["notes"] = new[] { note };
            }
            return reply;
        }

        /// <summary>Does `work` as often as the request says; `answer` makes the answer of the last result.</summary>
        public static Dictionary<string, object> Run<T>(
            Fields request, Func<T> work, Func<T, object> answer, string note = null)
        {
            var clock = new Clock();
            T result = clock.Time(work);
            for (int repeat = request.Int("repeat", 1); repeat > 1; repeat--)
            {
                result = clock.Time(work);
            }
            return clock.Ran(answer(result), note);
        }

        /// <summary>The moment by the wall clock, in nanoseconds since 1970.</summary>
        public static long UnixNanoseconds()
        {
            return (DateTime.UtcNow.Ticks - Epoch.Ticks) * 100;
        }

        /// <summary>Waits for a moment of the wall clock.</summary>
        public static void WaitUntil(long unixNanoseconds)
        {
            long left;
            while ((left = unixNanoseconds - UnixNanoseconds()) > 0)
            {
                // Sleeping is not exact: the last two milliseconds are spent looking at the clock.
                if (left > 2000000)
                {
                    Thread.Sleep((int)Math.Min((left - 2000000) / 1000000 + 1, 1000));
                }
            }
        }

        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    }

    /// <summary>The time that the processor spent on this process, all threads.</summary>
    internal static class ProcessorTime
    {
        [StructLayout(LayoutKind.Sequential)]
        private struct TimeSpec
        {
            public IntPtr Seconds;
            public IntPtr Nanoseconds;
        }

        [DllImport("libc", EntryPoint = "clock_gettime")]
        private static extern int GetTime(int clock, out TimeSpec time);

        private const int ProcessClockOfLinux = 2;
        private static readonly bool IsKnown = IsLinux();

        /// <summary>Returns nanoseconds, null where the system is not asked.</summary>
        public static long? Now()
        {
            TimeSpec time;
            if (!IsKnown || GetTime(ProcessClockOfLinux, out time) != 0)
            {
                return null;
            }
            return time.Seconds.ToInt64() * 1000000000L + time.Nanoseconds.ToInt64();
        }

        private static bool IsLinux()
        {
            return System.IO.Directory.Exists("/proc/self");
        }
    }
}
