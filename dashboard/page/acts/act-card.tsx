import { useEffect, useState } from 'preact/hooks';
import type { Act, ActSubject } from '../../model/acts/act.ts';
import { actsOf } from '../../model/acts/table.ts';
import { playing } from '../journal.ts';
import type { PageSettings } from '../settings.ts';
import { useStore } from '../store.ts';
import { RequestContent, useCertificateRequest } from './certificate-request.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { offeredActs } from './offered.ts';
import { perform, suffix } from './perform.ts';
import { permissionFor, useRights } from './rights.ts';

/** Acts that an object and its keys allow, with the rights of the user. Not shown for a past moment. */
export function ActCard(props: { subject: ActSubject; settings: PageSettings; onDone?: () => void }) {
  const { subject, settings, onDone } = props;
  const isPast = useStore(playing) !== undefined;
  const acts = actsOf(subject, {
    certificatesGroup: settings.groups.certificates,
    instantiateAnnotation: settings.instantiateAnnotation,
    suffix,
  });
  const rights = useRights(settings.groups.authorization, acts);
  const request = useCertificateRequest(subject.object);
  const [confirmed, confirm] = useState<Act | undefined>(undefined);
  const [message, setMessage] = useState('');
  const start = (act: Act): void => {
    setMessage('');
    void perform(act).then((text) => {
      setMessage(text);
      onDone?.();
    });
  };
  const choose = (act: Act): void => (act.warning === undefined ? start(act) : confirm(act));
  const reasonOf = (act: Act): string | undefined =>
    refusalOf(act, permissionFor(act, rights), request?.content !== undefined);
  useEffect(() => {
    const allowed = isPast ? [] : acts.filter((act) => reasonOf(act) === undefined);
    offeredActs.set(
      allowed.map((act) => ({
        kind: 'act',
        text: act.label,
        detail: subject.name,
        run: () => choose(act),
      })),
    );
  });
  useEffect(() => () => offeredActs.set([]), []);
  if (isPast || (acts.length === 0 && request === undefined)) return null;
  return (
    <section class="card" aria-labelledby="act">
      <h2 id="act">Act</h2>
      {request !== undefined && <RequestContent read={request} object={subject.object} />}
      <ul class="plain acts">
        {acts.map((act) => (
          <ActItem key={act.label} act={act} reason={reasonOf(act)} onStart={() => choose(act)} />
        ))}
      </ul>
      <p class={message === '' ? 'unseen' : 'warning'} role="status" aria-label="result of the act">
        {message}
      </p>
      {confirmed !== undefined && (
        <ConfirmDialog
          act={confirmed}
          name={subject.name}
          onClose={() => confirm(undefined)}
          onConfirm={() => start(confirmed)}
        >
          {request !== undefined && <RequestContent read={request} object={subject.object} />}
        </ConfirmDialog>
      )}
    </section>
  );
}

function refusalOf(
  act: Act,
  permission: ReturnType<typeof permissionFor>,
  isReadable: boolean,
): string | undefined {
  if (permission === 'asking') return 'Your rights are being read.';
  if (permission !== 'allowed') return `You have no right to ${permission.missing}.`;
  if (act.needsReadableRequest === true && !isReadable) return 'The certificate request must be readable.';
  return undefined;
}

/** Length of a label from which its effect is on the next line. */
const LONG_LABEL = 20;

/** A button with its effect, or with the reason why it cannot be used. It keeps the focus in both cases. */
function ActItem({ act, reason, onStart }: { act: Act; reason: string | undefined; onStart: () => void }) {
  const id = `act ${act.label}`.replaceAll(/[^a-z0-9]+/gi, '-');
  return (
    <li class={act.label.length > LONG_LABEL ? 'long' : ''}>
      <button
        type="button"
        class={act.isDangerous === true ? 'danger' : ''}
        aria-disabled={reason === undefined ? undefined : true}
        aria-describedby={id}
        onClick={() => reason === undefined && onStart()}
      >
        {act.label}
      </button>
      <span id={id} class="soft">
        {reason ?? act.effect}
      </span>
    </li>
  );
}
