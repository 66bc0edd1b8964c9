import { useState } from 'preact/hooks';
import { isKnownToken, logIn, token } from '../access.ts';
import { useStore } from '../store.ts';

/**
 * Form for a bearer token, which is stored only in the session storage of this tab. The user is signed in only if
 * the server knows the token.
 */
export function SignIn() {
  const bearer = useStore(token);
  const [asking, ask] = useState(false);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  if (bearer !== '')
    return (
      <button type="button" onClick={() => logIn('')}>
        sign out
      </button>
    );
  if (!asking)
    return (
      <button type="button" onClick={() => ask(true)}>
        sign in
      </button>
    );
  const signIn = async (): Promise<void> => {
    const next = text.trim();
    if (next === '') return setProblem('Enter a bearer token.');
    if (!(await isKnownToken(next))) return setProblem('The server does not know this token.');
    setText('');
    setProblem('');
    ask(false);
    logIn(next);
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        signIn().catch(() => setProblem('The server cannot be reached.'));
      }}
    >
      <input
        type="password"
        autocomplete="off"
        aria-label="bearer token"
        aria-invalid={problem !== ''}
        placeholder="bearer token"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="primary">
        sign in
      </button>
      {problem !== '' && (
        <span class="error" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}
