import type { KeyState } from '../../model/controller-model.ts';
import { durationText } from '../../model/durations.ts';
import { withoutDelay } from '../../model/explain.ts';
import type { Brought, Pass, Step } from '../../model/passes.ts';
import { clockTime, momentToCome } from '../../model/moments.ts';
import { Pill } from './bits.tsx';

/** The passes over a key, the newest first. */
export function Timeline(props: {
  passes: readonly Pass[];
  waiting: readonly Brought[];
  state: KeyState | undefined;
  nowMs: number;
}) {
  const { passes, waiting, state, nowMs } = props;
  if (passes.length === 0) return <p class="soft">The journal holds no pass over it.</p>;
  const next = state?.passId === undefined ? state?.nextMs : undefined;
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
      {passes.toReversed().map((pass, at) => (
        <PassItem key={pass.passId} pass={pass} open={at === 0} />
      ))}
    </ol>
  );
}

function PassItem({ pass, open }: { pass: Pass; open: boolean }) {
  const { startedMs, ms, outcome, reason, error, retries, nextMs } = pass;
  const why = error ?? (reason === undefined ? '' : withoutDelay(reason));
  return (
    <li class={`pass ${outcome ?? 'running'}`}>
      <details open={open}>
        <summary>
          <time>{clockTime(startedMs)}</time>
          <Pill tone={outcome}>{outcome ?? 'running'}</Pill>
          <span class="number">{ms === undefined ? '' : durationText(ms)}</span>
          {retries > 0 && <span class="soft">retry {retries}</span>}
          <span class="why" title={why}>
            {why}
            {nextMs !== undefined && <> – next at {momentToCome(nextMs, startedMs)}</>}
          </span>
        </summary>
        <Causes causes={pass.causes} />
        <Bar steps={pass.steps} />
        <ol class="steps">
          {pass.steps.map((step) => (
            <StepItem key={step.seq} step={step} />
          ))}
        </ol>
      </details>
    </li>
  );
}

const MOST_CAUSES = 4;

function Causes({ causes }: { causes: readonly Brought[] }) {
  if (causes.length === 0) return <p class="cause soft">brought up by its own requeue</p>;
  const shown = causes.slice(-MOST_CAUSES);
  return (
    <ul class="causes" aria-label="what brought it up">
      {causes.length > shown.length && <li class="soft">{causes.length - shown.length} more before</li>}
      {shown.map(({ cause, afterMs }, at) => (
        <li key={at} class="cause">
          {cause === undefined ? (
            <>brought up by an effect{afterMs !== undefined && `, after ${durationText(afterMs)}`}</>
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

/** How the time of a pass is shared out between its states. */
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
