import type { KeyState } from '../../model/controller-model.ts';
import { durationText } from '../../model/durations.ts';
import { withoutDelay } from '../../model/explain.ts';
import type { Enqueued, Reconcile, Step } from '../../model/reconciles.ts';
import { clockTime, momentToCome } from '../../model/moments.ts';
import { Pill } from './bits.tsx';

/** List of the reconciles of a key, newest first. */
export function Timeline(props: {
  reconciles: readonly Reconcile[];
  waiting: readonly Enqueued[];
  state: KeyState | undefined;
  nowMs: number;
}) {
  const { reconciles, waiting, state, nowMs } = props;
  if (reconciles.length === 0) return <p class="soft">The journal has no reconcile of this key.</p>;
  const next = state?.reconcileId === undefined ? state?.nextMs : undefined;
  return (
    <ol class="timeline">
      {next !== undefined && next > nowMs && (
        <li class="upcoming">
          <time>{momentToCome(next, nowMs)}</time>
          <p>
            Next run in <b>{durationText(next - nowMs)}</b>{' '}
            {state?.reason !== undefined && <>– {withoutDelay(state.reason)}</>}
          </p>
        </li>
      )}
      {waiting.length > 0 && (
        <li class="upcoming">
          <Causes causes={waiting} />
        </li>
      )}
      {reconciles.toReversed().map((reconcile, at) => (
        <ReconcileItem key={reconcile.reconcileId} reconcile={reconcile} open={at === 0} />
      ))}
    </ol>
  );
}

function ReconcileItem({ reconcile, open }: { reconcile: Reconcile; open: boolean }) {
  const { startedMs, ms, outcome, reason, error, retries, nextMs, repeats = 0 } = reconcile;
  const why = error ?? (reason === undefined ? '' : withoutDelay(reason));
  return (
    <li class={`reconcile ${outcome ?? 'running'}`}>
      <details open={open}>
        <summary>
          <time>{clockTime(startedMs)}</time>
          <Pill tone={outcome}>{outcome ?? 'running'}</Pill>
          <span class="number">{ms === undefined ? '' : durationText(ms)}</span>
          {retries > 0 && <span class="soft">retry {retries}</span>}
          {repeats > 0 && <span class="soft">and {repeats} equal reconciles before</span>}
          <span class="why" title={why}>
            {why}
            {nextMs !== undefined && <> – next at {momentToCome(nextMs, startedMs)}</>}
          </span>
        </summary>
        <Causes causes={reconcile.causes} />
        <Bar steps={reconcile.steps} />
        <ol class="steps">
          {reconcile.steps.map((step) => (
            <StepItem key={step.seq} step={step} />
          ))}
        </ol>
      </details>
    </li>
  );
}

const MOST_CAUSES = 4;

function Causes({ causes }: { causes: readonly Enqueued[] }) {
  if (causes.length === 0) return <p class="cause soft">enqueued by its own requeue</p>;
  const shown = causes.slice(-MOST_CAUSES);
  return (
    <ul class="causes" aria-label="causes">
      {causes.length > shown.length && <li class="soft">{causes.length - shown.length} earlier</li>}
      {shown.map(({ cause, afterMs, reason }, at) => (
        <li key={at} class="cause">
          {cause === undefined ? (
            <>
              {reason ?? 'enqueued by an effect'}
              {afterMs !== undefined && `, after ${durationText(afterMs)}`}
            </>
          ) : (
            <>
              <b>{cause.type}</b> {cause.resource} <span class="key-name">{cause.object}</span>
              {cause.resourceVersion !== undefined && <span class="soft"> at {cause.resourceVersion}</span>}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Bar with the share of each state in the time of a reconcile. */
function Bar({ steps }: { steps: readonly Step[] }) {
  const all = steps.reduce((sum, { ms = 0 }) => sum + ms, 0);
  if (all === 0) return null;
  return (
    <div class="share" aria-hidden="true">
      {steps.map(({ seq, state, ms = 0 }, at) => (
        <span
          key={seq}
          class={`share-${at % 6}`}
          style={{ flexGrow: String(ms / all) }}
          title={`${state}: ${durationText(ms)}`}
        />
      ))}
    </div>
  );
}

function StepItem({ step: { state, ms, requests, error, event } }: { step: Step }) {
  return (
    <li>
      <span class="step-name" title={event}>
        {state}
      </span>
      <span class="number soft">{ms === undefined ? '' : durationText(ms)}</span>
      {requests.map(({ verb, resource, object, code, ms: took }, at) => (
        <span key={at} class={`request ${/^[123]/.test(code) ? '' : 'bad'}`}>
          {verb} {resource} <span class="key-name">{object}</span> <b>{code}</b>{' '}
          <span class="soft">{durationText(took)}</span>
        </span>
      ))}
      {error !== undefined && <span class="error">{error}</span>}
    </li>
  );
}
