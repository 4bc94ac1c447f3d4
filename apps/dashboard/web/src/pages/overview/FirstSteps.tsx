import { Link } from '@tanstack/react-router';
import { Check, LifeBuoy, Mail } from 'lucide-react';
import { useId } from 'react';
import { Button } from 'react-aria-components';
import { Waiting } from '../../components/states/Waiting.tsx';
import { handOver } from '../../components/transitions/hand-over.ts';
import { hideSteps } from '../../layout/first-steps.ts';
import { type Step, type UnknownStep, useSteps } from './first-steps.tsx';
import '../../components/page-parts/Card.css';
import './FirstSteps.css';

/** The width of the meter, in its own units. */
const WIDTH = 100;
const HEIGHT = 4;

const REQUEST = `mailto:?${new URLSearchParams({
  subject: 'The URL for our webhooks',
  body: 'Hello,\n\nour practice uses Chairside. To connect your program, please send us:\n\n- the https URL that receives our webhooks,\n- the events that it needs,\n- the records that it reads or writes, for its API key.\n',
})
  .toString()
  // A space is %20 in a mailto address (RFC 6068).
  .replaceAll('+', '%20')}`;

const Action = ({
  action: { name, to, opens },
  className,
}: {
  action: NonNullable<Step['action']>;
  className: string;
}) => (
  <Link
    className={`button ${className}`}
    to={to}
    onClick={() => {
      // The button of the page opens its dialog.
      if (opens !== undefined) handOver(opens);
    }}
  >
    {name}
  </Link>
);

const Row = ({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) => {
  const { name, isDone, text, who, action } = step;
  return (
    <li
      className={['step', isDone && 'done', isNext && 'next'].filter(Boolean).join(' ')}
      {...(isNext && { 'aria-current': 'step' as const })}
    >
      <span className="tick" aria-hidden="true">
        {isDone ? <Check /> : number}
      </span>
      <div>
        <h3>
          {name}
          {isDone && <span className="hidden">, done</span>}
        </h3>
        <p>{text}</p>
      </div>
      <p className="who">{who}</p>
      <span className="do">
        {action !== undefined && (
          <Action
            action={action}
            className={isDone ? 'subtle compact' : isNext ? 'primary compact' : 'compact'}
          />
        )}
      </span>
    </li>
  );
};

const Unknown = ({ step: { name, again }, number }: { step: UnknownStep; number: number }) => (
  <li className="step">
    <span className="tick" aria-hidden="true">
      {number}
    </span>
    <div>
      <h3>{name}</h3>
      <p role="alert">This step could not be checked.</p>
    </div>
    <p className="who" />
    <span className="do">
      <Button className="compact" aria-label={`Check again: ${name}`} onPress={() => void again()}>
        Check again
      </Button>
    </span>
  </li>
);

/** The steps of a new practice, which tick themselves from its data, and who does each. */
export const FirstSteps = () => {
  const id = useId();
  const steps = useSteps();
  if (steps === undefined) return <Waiting of="the first steps" />;
  const isDone = (step: Step | UnknownStep) => 'isDone' in step && step.isDone;
  const done = steps.filter(isDone).length;
  const next = steps.findIndex((step) => 'isDone' in step && !step.isDone && step.action !== undefined);
  const text = `${done} of ${steps.length}`;
  return (
    <>
      <section className="card steps" aria-labelledby={id}>
        <header>
          <h2 id={id}>First steps</h2>
          <span className="quiet small">{text} done</span>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
            <rect width={WIDTH} height={HEIGHT} rx={HEIGHT / 2} />
            <rect className="value" width={(WIDTH * done) / steps.length} height={HEIGHT} rx={HEIGHT / 2} />
          </svg>
          <Button
            className="subtle compact"
            onPress={() => {
              // The button disappears.
              document.querySelector<HTMLElement>('h1')?.focus();
              hideSteps(true);
            }}
          >
            Hide
          </Button>
        </header>
        <ol>
          {steps.map((step, index) =>
            'isDone' in step ? (
              <Row key={step.name} step={step} number={index + 1} isNext={index === next} />
            ) : (
              <Unknown key={step.name} step={step} number={index + 1} />
            ),
          )}
        </ol>
      </section>
      <div className="helps">
        <a className="help" href={REQUEST}>
          <Mail aria-hidden="true" />
          <span>
            <b>Ask your developer</b>
            <span className="sub">A prepared e-mail asks for the URL</span>
          </span>
        </a>
        <p className="help">
          <LifeBuoy aria-hidden="true" />
          <span>
            <b>Another clinic</b>
            <span className="sub">The operator of the service adds it</span>
          </span>
        </p>
      </div>
    </>
  );
};
