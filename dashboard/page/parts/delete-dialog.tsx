import { useEffect, useState } from 'preact/hooks';
import { type PlainObject, type ServedResource, readObject } from '../api.ts';
import { useDependents } from '../dependents.ts';
import { many } from './bits.tsx';
import { useGuardedDialog } from './guarded-dialog.ts';

/** Values of `propagationPolicy`, with what each does to the dependents. */
const PROPAGATIONS = [
  ['Background', 'the object first, its dependents after it'],
  ['Foreground', 'the dependents first, the object after them'],
  ['Orphan', 'the object alone; the dependents remain without it'],
] as const;

/** Maximum number of dependents that the dialog names. */
const MOST_NAMED = 8;

/** Dialog that deletes an object, with a choice of the propagation and a preview of the dependents. */
export function DeleteDialog(props: {
  resource: ServedResource;
  object: string;
  metaGroup: string;
  onClose: () => void;
  onDelete: (propagation: string) => void;
}) {
  const { resource, object, metaGroup, onClose, onDelete } = props;
  const { dialog, isReady } = useGuardedDialog();
  const [propagation, setPropagation] = useState<string>(PROPAGATIONS[0][0]);
  const [read, setRead] = useState<PlainObject | undefined>(undefined);
  useEffect(() => {
    readObject(resource, object).then(setRead, () => {});
  }, []);
  const remove = (): void => {
    onDelete(propagation);
    onClose();
  };
  return (
    <dialog ref={dialog} class="card" aria-labelledby="delete-title" onClose={onClose}>
      <h2 id="delete-title">
        Delete {resource.kind} {object}?
      </h2>
      <fieldset>
        <legend>Order</legend>
        {PROPAGATIONS.map(([value, text]) => (
          <label key={value}>
            <input
              type="radio"
              name="propagation"
              checked={propagation === value}
              onChange={() => setPropagation(value)}
            />{' '}
            {value} <span class="soft">– {text}</span>
          </label>
        ))}
      </fieldset>
      {read !== undefined && (
        <>
          <Finalizers object={read} />
          <Preview owner={read} metaGroup={metaGroup} isOrphaning={propagation === 'Orphan'} />
        </>
      )}
      <div class="actions">
        <button type="button" autoFocus onClick={onClose}>
          keep
        </button>
        <button type="button" class="danger" disabled={!isReady} onClick={remove}>
          delete {object} for good
        </button>
      </div>
    </dialog>
  );
}

function Finalizers({ object: { metadata: { finalizers = [] } = {} } }: { object: PlainObject }) {
  if (finalizers.length === 0) return null;
  return (
    <p class="warning">
      The object remains until its finalizers are removed by their owners: {finalizers.join(', ')}.
    </p>
  );
}

/** Dependents of the object, found so far. */
function Preview(props: { owner: PlainObject; metaGroup: string; isOrphaning: boolean }) {
  const { owner, metaGroup, isOrphaning } = props;
  const { found, done, all } = useDependents({ owner, first: [], metaGroup });
  const isComplete = done === all && all > 0;
  const named = found.slice(0, MOST_NAMED);
  return (
    <div role="status">
      <p>
        {found.length === 0 && isComplete && 'It has no dependents.'}
        {found.length > 0 &&
          `${many(found.length)} ${found.length === 1 ? 'dependent' : 'dependents'} ${isOrphaning ? 'remain' : 'may be deleted with it'}:`}
        {!isComplete && <span class="soft"> Searching for dependents…</span>}
      </p>
      <ul>
        {named.map(({ resource, name }) => (
          <li key={`${resource.kind} ${name}`}>
            {resource.kind} <span class="key-name">{name}</span>
          </li>
        ))}
        {found.length > named.length && <li>and {many(found.length - named.length)} more</li>}
      </ul>
    </div>
  );
}
