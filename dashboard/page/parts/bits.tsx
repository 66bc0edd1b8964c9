import type { ComponentChildren } from 'preact';
import type { KeyState } from '../../model/controller-model.ts';
import { ResponseError, token } from '../access.ts';
import { durationText } from '../../model/durations.ts';

/** A number with its name. With an address, it is a link. */
export function Tile({
  name,
  value,
  tone,
  href,
}: {
  name: string;
  value: string | number;
  tone?: 'bad' | 'good' | undefined;
  href?: string | undefined;
}) {
  return (
    <div class={`tile ${tone ?? ''}`}>
      <dd>
        {href === undefined ? (
          value
        ) : (
          <a href={href} aria-label={`${name}: ${value}`}>
            {value}
          </a>
        )}
      </dd>
      <dt>{name}</dt>
    </div>
  );
}

/** A label, such as the name of a state, coloured by `tone`, the outcome of reconciles. */
export function Pill({ children, tone = '' }: { children: ComponentChildren; tone?: string | undefined }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

/**
 * Returns the outcome of the last reconcile. While a reconcile runs, returns undefined, because its outcome
 * is unknown.
 */
export const toneOf = ({ reconcileId, outcome }: KeyState): string | undefined =>
  reconcileId === undefined ? outcome : undefined;

export function Ago({ ms }: { ms: number }) {
  return <span class="number">{durationText(Math.max(0, ms))}</span>;
}

/** Bar chart of a count over time. */
export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(1, ...values);
  const width = 240;
  const step = width / Math.max(1, values.length);
  return (
    <svg class="spark" viewBox={`0 0 ${width} 36`} preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, at) => {
        const height = value === 0 ? 1 : 3 + (31 * value) / most;
        return (
          <rect
            key={at}
            x={at * step}
            y={36 - height}
            width={Math.max(1, step - 1)}
            height={height}
            rx="1"
            class={value === 0 ? 'none' : ''}
          />
        );
      })}
    </svg>
  );
}

/** Error in place of a view, with advice if access was denied. */
export function Problem({ problem }: { problem: Error }) {
  const forbidden = problem instanceof ResponseError && (problem.status === 401 || problem.status === 403);
  if (forbidden && token.get() === '') return <SignInAdvice />;
  return (
    <section class="card problem" role="alert">
      <h2>{forbidden ? 'You may not see this' : 'This cannot be shown'}</h2>
      <p>{problem.message}</p>
      {forbidden && (
        <p class="soft">
          The user of your token has no permission for it. Sign out, and sign in with the token of a permitted
          user.
        </p>
      )}
    </section>
  );
}

/** Card that explains how to sign in. It replaces a view that an unidentified user may not see. */
function SignInAdvice() {
  return (
    <section class="card" role="status">
      <h2>Sign in to see this</h2>
      <ul>
        <li>
          Run <code>orch dashboard --kubeconfig FILE</code> with the kubeconfig of a permitted user, such as{' '}
          <code>admin.conf</code> in the data directory. It opens this page with the rights of that user.
        </li>
        <li>
          Or press “sign in” above and enter a bearer token: one from the server’s{' '}
          <code>--token-auth-file</code>, or the token of a ServiceAccount.
        </li>
        <li>Or install the client certificate of a permitted user in the browser.</li>
      </ul>
    </section>
  );
}

export function Loading() {
  return (
    <p class="soft loading" role="status">
      Loading…
    </p>
  );
}

/** A choice of one among a few options, as toggle buttons. */
export function Choice<T extends string>(props: {
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}) {
  const { label, options, chosen, onChoose } = props;
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([value, text]) => (
        <button key={value} type="button" aria-pressed={chosen === value} onClick={() => onChoose(value)}>
          {text}
        </button>
      ))}
    </div>
  );
}

export const rate = (perSecond: number): string => {
  if (perSecond === 0) return '0';
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
};

export const many = (count: number): string => count.toLocaleString('en');
