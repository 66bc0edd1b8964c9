/** One line of a metrics text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Samples of the metrics that are asked for, out of a text in the Prometheus format, version 0.0.4. */
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
