import { useEffect, useState } from 'preact/hooks';
import { ask } from '../access.ts';
import {
  type Permissions,
  type ServedResource,
  YAML,
  objectPath,
  permissions,
  readYaml,
  resourceId,
} from '../api.ts';
import { toResource } from '../routes.ts';
import type { PageSettings } from '../settings.ts';
import { watchObject } from '../watch-object.ts';
import { Loading } from './bits.tsx';
import { WorkedOnBy } from './worked-on-by.tsx';

const NOTHING: Permissions = { update: false, delete: false };

interface EditorProps {
  readonly resource: ServedResource;
  readonly object: string;
  readonly settings: PageSettings;
}

/** An object as it is and as it is being changed, and what may be done with it. */
interface Edited {
  /** Undefined until it was read; '' where it is not there. */
  readonly yaml: string | undefined;
  /** Undefined while nothing is being changed. */
  readonly draft: string | undefined;
  readonly may: Permissions;
  /** How the last attempt ended; '' where there is nothing to say. */
  readonly said: string;
  setDraft(draft: string | undefined): void;
  save(): void;
  remove(): void;
}

function useEdited({ resource, object, settings }: EditorProps): Edited {
  const [yaml, setYaml] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [may, setMay] = useState(NOTHING);
  const [said, say] = useState('');

  const attempt = (work: () => Promise<string>): void =>
    void work().then(say, (thrown: unknown) =>
      say(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  const read = async (): Promise<string> => {
    setYaml((await readYaml(resource, object)) ?? '');
    return '';
  };
  useEffect(() => {
    attempt(read);
    void permissions(settings.groups.authorization, resource, object).then(setMay);
    const leaving = new AbortController();
    const changed = (): void => void read().catch(() => {});
    void watchObject(resource, object, settings.groups.meta, leaving.signal, changed);
    return () => leaving.abort();
  }, []);
  const path = objectPath(resource, object);
  const write = async (): Promise<string> => {
    await ask(path, { method: 'PUT', body: draft ?? '', contentType: YAML, accept: YAML });
    setDraft(undefined);
    await read();
    return 'Saved.';
  };
  const remove = async (): Promise<string> => {
    await ask(path, { method: 'DELETE' });
    await read();
    return 'Deletion was asked for.';
  };
  return { yaml, draft, may, said, setDraft, save: () => attempt(write), remove: () => attempt(remove) };
}

/** One object as YAML, live. What may be done with it is asked of the server before it is offered. */
export function ObjectEditor(props: EditorProps) {
  const { resource, object } = props;
  const edited = useEdited(props);
  const { yaml, said } = edited;
  return (
    <section class="card" aria-labelledby="yaml">
      <header class="bar">
        <h2 id="yaml">
          <a href={toResource(resourceId(resource))}>{resource.plural}</a> / {object}
        </h2>
        <div class="actions">
          {edited.draft === undefined ? (
            Boolean(yaml) && <Offers object={object} edited={edited} />
          ) : (
            <DraftActions edited={edited} />
          )}
        </div>
      </header>
      {said !== '' && (
        <p class="warning" role="status">
          {said}
        </p>
      )}
      {Boolean(yaml) && <WorkedOnBy resource={resource} object={object} />}
      <ObjectText edited={edited} />
    </section>
  );
}

/** What may be done with an object that nobody is changing; to delete it is asked for twice. */
function Offers({ object, edited }: { object: string; edited: Edited }) {
  const { yaml, may, setDraft, remove } = edited;
  const [sure, setSure] = useState(false);
  const onDelete = (): void => {
    if (sure) remove();
    setSure(!sure);
  };
  return (
    <>
      {may.update && (
        <button type="button" onClick={() => setDraft(yaml)}>
          edit
        </button>
      )}
      {may.delete && (
        <button type="button" class="danger" onClick={onDelete}>
          {sure ? `delete ${object} for good` : 'delete'}
        </button>
      )}
      {sure && (
        <button type="button" onClick={() => setSure(false)}>
          keep
        </button>
      )}
    </>
  );
}

const DraftActions = ({ edited: { save, setDraft } }: { edited: Edited }) => (
  <>
    <button type="button" class="primary" onClick={save}>
      save
    </button>
    <button type="button" onClick={() => setDraft(undefined)}>
      cancel
    </button>
  </>
);

function ObjectText({ edited: { yaml, draft, setDraft } }: { edited: Edited }) {
  if (draft !== undefined)
    return (
      <textarea
        class="code tall"
        aria-label="the object as YAML, to be changed"
        spellcheck={false}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
    );
  if (yaml === undefined) return <Loading />;
  return (
    <pre class="code tall" tabIndex={0} role="region" aria-label="the object as YAML">
      {yaml || 'It is not there.'}
    </pre>
  );
}
