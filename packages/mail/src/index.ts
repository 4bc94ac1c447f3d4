export {
  type MailSender,
  type MailServer,
  mailSenderOf,
  mailSettings,
  parseMailUrl,
  requireWithMail,
} from './settings.ts';
export {
  ATTEMPT_MS,
  type Mailer,
  type MailReport,
  type MailStep,
  openMailer,
  STEP_MS,
  smtpLimits,
  wasReached,
} from './smtp.ts';
export { mailTextLimits, writeMail, writeNotice } from './template.ts';
