/** One sample line of an exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * Parses the samples of the metrics in `wanted` from the Prometheus text format, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parseExposition(text: string, wanted: ReadonlySet<string>): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const end = line.search(/[{ ]/);
    if (end <= 0 || !wanted.has(line.slice(0, end))) continue;
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '') continue;
    samples.push({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]),
      ),
      value: Number(value),
    });
  }
  return samples;
}
