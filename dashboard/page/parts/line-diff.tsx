import { useMemo } from 'preact/hooks';
import { diffLines } from '../../model/diff.ts';

const CLASSES = { ' ': 'same', '-': 'removed', '+': 'added' } as const;

/** The lines of two texts, marked as removed, added or equal. */
export function LineDiff({ before, now, label }: { before: string; now: string; label: string }) {
  const lines = useMemo(() => diffLines(before, now), [before, now]);
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {lines.map(({ sign, text }, at) => (
        <span key={at} class={CLASSES[sign]}>{`${sign} ${text}\n`}</span>
      ))}
    </pre>
  );
}
