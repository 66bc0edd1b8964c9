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

/** One object as YAML, live. What may be done with it is asked of the server before it is offered. */
export function ObjectEditor(props: { resource: ServedResource; object: string; settings: PageSettings }) {
  const { resource, object, settings } = props;
  const [yaml, setYaml] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [may, setMay] = useState(NOTHING);
  const [said, say] = useState('');
  const [sure, setSure] = useState(false);

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
    void watchObject(
      resource,
      object,
      settings.groups.meta,
      leaving.signal,
      () => void read().catch(() => {}),
    );
    return () => leaving.abort();
  }, []);
  const write = async (): Promise<string> => {
    await ask(objectPath(resource, object), {
      method: 'PUT',
      body: draft ?? '',
      contentType: YAML,
      accept: YAML,
    });
    setDraft(undefined);
    await read();
    return 'Saved.';
  };
  const remove = async (): Promise<string> => {
    await ask(objectPath(resource, object), { method: 'DELETE' });
    setSure(false);
    await read();
    return 'Deletion was asked for.';
  };

  return (
    <section class="card" aria-labelledby="yaml">
      <header class="bar">
        <h2 id="yaml">
          <a href={toResource(resourceId(resource))}>{resource.plural}</a> / {object}
        </h2>
        <div class="actions">
          {may.update && draft === undefined && Boolean(yaml) && (
            <button type="button" onClick={() => setDraft(yaml)}>
              edit
            </button>
          )}
          {may.delete && draft === undefined && Boolean(yaml) && (
            <button type="button" class="danger" onClick={() => (sure ? attempt(remove) : setSure(true))}>
              {sure ? `delete ${object} for good` : 'delete'}
            </button>
          )}
          {sure && (
            <button type="button" onClick={() => setSure(false)}>
              keep
            </button>
          )}
          {draft !== undefined && (
            <>
              <button type="button" class="primary" onClick={() => attempt(write)}>
                save
              </button>
              <button type="button" onClick={() => setDraft(undefined)}>
                cancel
              </button>
            </>
          )}
        </div>
      </header>
      {said !== '' && (
        <p class="warning" role="status">
          {said}
        </p>
      )}
      {Boolean(yaml) && <WorkedOnBy resource={resource} object={object} />}
      {yaml === undefined && <Loading />}
      {yaml !== undefined && draft === undefined && (
        <pre class="code tall" tabIndex={0} role="region" aria-label="the object as YAML">
          {yaml || 'It is not there.'}
        </pre>
      )}
      {draft !== undefined && (
        <textarea
          class="code tall"
          aria-label="the object as YAML, to be changed"
          spellcheck={false}
          value={draft}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      )}
    </section>
  );
}
