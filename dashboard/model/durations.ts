/** Formats a duration in one unit: `3 ms`, `4.2 s`, `3 min`, `2 h`, `5 d`. */
export function durationText(ms: number): string {
  if (ms < 0.95) return ms <= 0 ? '0 ms' : '<1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
  if (ms < 59.5 * 60_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 47.5 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}
