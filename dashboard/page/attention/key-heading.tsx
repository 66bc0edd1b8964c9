import type { AttentionItem } from '../../../runtime/journal/index.ts';
import type { KeyState } from '../../model/controller-model.ts';
import { Pill, toneOf } from '../parts/bits.tsx';
import { AttentionSentences } from './object-attention.tsx';

/**
 * Heading of a key. If its object needs attention, the heading says so instead of the final state of the
 * machine, which describes a reconcile and not the object.
 */
export function KeyHeading(props: {
  keyName: string;
  state: KeyState | undefined;
  attention: readonly AttentionItem[];
}) {
  const { keyName, state, attention } = props;
  const isStuck = attention.length > 0;
  return (
    <>
      <h1 class="with-pill">
        {keyName} {isStuck && <Pill tone="failed">needs attention</Pill>}
        {!isStuck && state !== undefined && <Pill tone={toneOf(state)}>{state.state}</Pill>}
      </h1>
      <AttentionSentences items={attention} />
    </>
  );
}
