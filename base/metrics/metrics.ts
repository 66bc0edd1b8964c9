/**
 * Metrics of one server. Each server has its own registry, so two servers in one process share no counter.
 * Counting is only arithmetic; the text is built at each exposition.
 */
export interface Metrics {
  /**
   * Creates a counter.
   * @param labels label names, in the order of the arguments of `at`
   */
  counter(name: string, help: string, labels?: readonly string[], promise?: MetricPromise): Family<Count>;
  gauge(name: string, help: string, labels?: readonly string[], promise?: MetricPromise): Family<Gauge>;
  /**
   * Creates a histogram.
   * @param buckets ascending upper bounds in the unit of the value
   */
  histogram(
    name: string,
    help: string,
    labels: readonly string[],
    buckets: readonly number[],
    promise?: MetricPromise,
  ): Family<Histogram>;
  /**
   * Creates a summary.
   * @param quantiles ranks between 0 and 1 over the latest 1,024 observations
   */
  summary(
    name: string,
    help: string,
    labels: readonly string[],
    quantiles: readonly number[],
    promise?: MetricPromise,
  ): Family<Observed>;
  /** Calls `collect` before each exposition, to update sampled values. */
  beforeExpose(collect: () => void): void;
  /** Returns the visible metrics, sorted by name, without their values. */
  describe(): readonly MetricDescription[];
  /**
   * Returns the metrics in the Prometheus text format, and its media type. Metrics, labels and values have
   * the same order as in Go's client library.
   */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Stability of a metric
 * (https://kubernetes.io/docs/concepts/cluster-administration/system-metrics/#metric-lifecycle). By default,
 * a metric is ALPHA and not deprecated.
 */
export interface MetricPromise {
  readonly stability?: 'STABLE' | 'ALPHA';
  /** Release in which the metric was deprecated, such as `1.23`. */
  readonly deprecated?: string;
}

/** Declaration of a metric. */
export interface MetricDescription {
  readonly name: string;
  /** Help text, which starts with the stability class. */
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
}

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /** Current release, which determines hidden metrics. By default, no metric is hidden. */
  readonly release?: string;
  /** True to show metrics that were first hidden in this release. The default is false. */
  readonly showHidden?: boolean;
}

/** Number of releases for which a deprecated metric stays visible. */
const RELEASES_SHOWN = { STABLE: 3, ALPHA: 1 };

const minorOf = (release: string): number => Number(release.split('.')[1] ?? 0);

/** True if a metric is visible. `showHidden` shows a metric only in the first release that hides it. */
function isShown({ stability = 'ALPHA', deprecated }: MetricPromise, options: MetricsOptions): boolean {
  if (deprecated === undefined || options.release === undefined) return true;
  const hiddenFor = minorOf(options.release) - minorOf(deprecated) - RELEASES_SHOWN[stability];
  return hiddenFor < 0 || (hiddenFor === 0 && options.showHidden === true);
}

/** Returns the help text with Kubernetes' prefix: `[STABLE] (Deprecated since 1.23.0) Requests.`. */
const helpOf = (help: string, { stability = 'ALPHA', deprecated }: MetricPromise): string =>
  `[${stability}] ${deprecated === undefined ? '' : `(Deprecated since ${deprecated}.0) `}${help}`;

/**
 * Metric with one child per set of label values. Callers should store the result of `at` for repeated use.
 */
export interface Family<T> {
  at(...values: readonly string[]): T;
}

/** Counter metric. */
export interface Count {
  add(by: number): void;
}

/** Gauge metric. */
export interface Gauge extends Count {
  set(value: number): void;
}

/** Metric that records observations. */
export interface Observed {
  observe(value: number): void;
}

/** Histogram metric. */
export interface Histogram {
  /** Counts the observation `value`, `times` times, by default once. */
  observe(value: number, times?: number): void;
}

/**
 * Maximum number of label sets per metric. Further sets are counted together, so that clients cannot exhaust
 * memory.
 */
const MAX_CHILDREN = 20_000;
const OTHER = 'other';

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

/** Compares by bytes, as Go does. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

class Children<T> implements Family<T> {
  readonly #children = new Map<string, { readonly values: readonly string[]; readonly child: T }>();
  /** Label names in exposition order, each with the index of its value in `at`. */
  readonly #printed: readonly { readonly name: string; readonly at: number }[];
  readonly #create: () => T;

  constructor(names: readonly string[], create: () => T) {
    this.#printed = names.map((name, at) => ({ name, at })).sort((a, b) => inOrder(a.name, b.name));
    this.#create = create;
  }

  at(...values: readonly string[]): T {
    const key = values.join('\u0000');
    const known = this.#children.get(key);
    if (known !== undefined) return known.child;
    if (this.#children.size >= MAX_CHILDREN && values.some((value) => value !== OTHER))
      return this.at(...values.map(() => OTHER));
    const child = this.#create();
    this.#children.set(key, { values, child });
    return child;
  }

  #labelsOf(values: readonly string[]): Labels {
    return Object.fromEntries(this.#printed.map(({ name, at }) => [name, values[at] ?? '']));
  }

  samples(of: (child: T, labels: Labels) => Sample[]): Sample[] {
    return Array.from(this.#children.values(), ({ values, child }) => ({
      labels: this.#labelsOf(values),
      child,
    }))
      .sort((a, b) => inOrder(Object.values(a.labels).join('\u0000'), Object.values(b.labels).join('\u0000')))
      .flatMap(({ labels, child }) => of(child, labels));
  }
}

class Level implements Gauge {
  value = 0;

  add(by: number): void {
    this.value += by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/**
 * Returns bucket bounds that grow by `factor`. Each bound is computed from the previous one, so that it
 * equals Go's bound in every digit.
 */
export const exponentialBuckets = (first: number, factor: number, count: number): readonly number[] => {
  const bounds = [first];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? first) * factor);
  return bounds;
};

/** Formats a number as Go does: `0.001`, `1e-08`, `1e+06`. Queries select buckets by this text. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

class Distribution implements Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  observe(value: number, times = 1): void {
    this.sum += value * times;
    this.count += times;
    for (let at = 0; at < this.bounds.length; at++)
      if (value <= (this.bounds[at] ?? 0)) {
        this.counts[at] = (this.counts[at] ?? 0) + times;
        return;
      }
  }

  samples(name: string, labels: Labels): Sample[] {
    let below = 0;
    const buckets = this.bounds.map((bound, at) => {
      below += this.counts[at] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: numberText(bound) }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: this.count },
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: this.count },
    ];
  }
}

const LATEST = 1_024;

class Ranks implements Observed {
  readonly #quantiles: readonly number[];
  readonly #latest: number[] = [];
  #sum = 0;
  #count = 0;

  constructor(quantiles: readonly number[]) {
    this.#quantiles = quantiles;
  }

  observe(value: number): void {
    this.#latest[this.#count % LATEST] = value;
    this.#sum += value;
    this.#count += 1;
  }

  samples(name: string, labels: Labels): Sample[] {
    const ordered = this.#latest.toSorted((one, other) => one - other);
    return [
      ...this.#quantiles.map((quantile) => ({
        labels: { ...labels, quantile },
        value: ordered[Math.max(0, Math.ceil(quantile * ordered.length) - 1)] ?? Number.NaN,
      })),
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ];
  }
}

/** Media type of version 0.0.4 of the Prometheus text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function line(name: string, { metricName = name, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(String(text)).replaceAll('"', '\\"')}"`,
  );
  return `${metricName}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

interface Registered extends MetricDescription {
  readonly samples: () => readonly Sample[];
}

const printed = ({ name, help, type, samples }: Registered): string =>
  `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${samples()
    .map((sample) => line(name, sample))
    .join('')}`;

const uncounted = { add: () => {}, set: () => {}, observe: () => {} };
const uncountedFamily = { at: () => uncounted };

/** Metrics that record nothing. */
export const offMetrics: Metrics = {
  counter: () => uncountedFamily,
  gauge: () => uncountedFamily,
  histogram: () => uncountedFamily,
  summary: () => uncountedFamily,
  beforeExpose: () => {},
  describe: () => [],
  expose: () => Promise.resolve({ contentType: CONTENT_TYPE, text: '' }),
};

/** Creates an empty registry. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registered: Registered[] = [];
  const collectors: (() => void)[] = [];
  const register = (metric: Registered, promise: MetricPromise): void => {
    if (!isShown(promise, options)) return;
    registered.push({ ...metric, help: helpOf(metric.help, promise) });
    registered.sort((a, b) => inOrder(a.name, b.name));
  };
  const levels = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    labels: readonly string[],
    promise: MetricPromise,
  ): Family<Level> => {
    const children = new Children(labels, () => new Level());
    const samples = () => children.samples(({ value }, at) => [{ labels: at, value }]);
    register({ name, help, type, labels, samples }, promise);
    return children;
  };
  return {
    counter: (name, help, labels = [], promise = {}) => levels('counter', name, help, labels, promise),
    gauge: (name, help, labels = [], promise = {}) => levels('gauge', name, help, labels, promise),
    histogram(name, help, labels, buckets, promise = {}) {
      const children = new Children(labels, () => new Distribution(buckets));
      const samples = () => children.samples((child, at) => child.samples(name, at));
      register({ name, help, type: 'histogram', labels, samples }, promise);
      return children;
    },
    summary(name, help, labels, quantiles, promise = {}) {
      const children = new Children(labels, () => new Ranks(quantiles));
      const samples = () => children.samples((child, at) => child.samples(name, at));
      register({ name, help, type: 'summary', labels, samples }, promise);
      return children;
    },
    beforeExpose: (collect) => void collectors.push(collect),
    describe: () => registered.map(({ name, help, type, labels }) => ({ name, help, type, labels })),
    expose() {
      for (const collect of collectors) collect();
      return Promise.resolve({ contentType: CONTENT_TYPE, text: registered.map(printed).join('') });
    },
  };
}
