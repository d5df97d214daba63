"""All settings: Django's, then the product's own, each read from the environment by a strict reader."""

from pathlib import Path
from urllib.parse import urlsplit

import django_stubs_ext
from django.utils.translation import gettext_lazy as _
from environ import Env

from config import broker, env, login_check, logs
from config.database import database
from config.secret import secret_key

django_stubs_ext.monkeypatch()  # so that ModelAdmin[Task] and the like also work when they run

BASE_DIR = Path(__file__).resolve().parent.parent
Env.read_env(env.text("TASKBOARD_DOTENV") or BASE_DIR / ".env", warn_on_missing=False)

PRODUCTION = env.choice("TASKBOARD_ENV", "development", ["development", "production"]) == "production"
DEBUG = env.flag("DEBUG", default=False)
if PRODUCTION and DEBUG:
    env.refuse("DEBUG", "1", "0 in production: error pages would show secrets to everyone")

# --- What is written to disk ----------------------------------------------------------------------

TASKBOARD_VAR = env.folder("TASKBOARD_VAR", BASE_DIR / "var")
DATABASES = {
    "default": database(
        env.text("DATABASE_URL") or f"sqlite:///{TASKBOARD_VAR / 'db.sqlite3'}",
        # One connection per thread of a process that works on the database; streams hold none.
        pool_size=env.number("DATABASE_POOL_SIZE", 20, 1, 500),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Who may come in ------------------------------------------------------------------------------

SECRET_KEY = env.text("SECRET_KEY")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1]")
if PRODUCTION and len(SECRET_KEY) < 50:
    env.refuse("SECRET_KEY", "…" if SECRET_KEY else "", "at least 50 random characters in production")
if PRODUCTION and not ALLOWED_HOSTS:
    env.refuse("ALLOWED_HOSTS", "", "the host names of this site in production, separated by commas")
if not SECRET_KEY:
    SECRET_KEY = secret_key(TASKBOARD_VAR / "secret_key")
# Earlier keys: what they signed and encrypted is still read, so that the key can be changed.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.reporting.Redacted"

# Behind a proxy that speaks TLS: which origins it serves, and which header says so (often X-Forwarded-Proto).
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
if _header := env.text("SECURE_PROXY_SSL_HEADER"):
    SECURE_PROXY_SSL_HEADER = (f"HTTP_{_header.upper().replace('-', '_')}", "https")
USE_X_FORWARDED_HOST = env.flag("USE_X_FORWARDED_HOST", default=False)
CSRF_FAILURE_VIEW = "config.views.csrf_failure"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = env.flag(
    "SECURE_COOKIES", default=PRODUCTION
)
SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", default=PRODUCTION)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # those who watch ask without TLS
SECURE_HSTS_SECONDS = env.number("SECURE_HSTS_SECONDS", 2_592_000 if PRODUCTION else 0, 0, 63_072_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.flag("SECURE_HSTS_PRELOAD", default=False)
# Whether the neighbours under the same domain speak TLS is not ours to say, so both are off until asked for.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = (
    "same-origin"  # no-referrer would make the Origin "null" and break forms behind a proxy
)
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "taskboard.login.sign_on.Backend"]
# So many wrong passwords for a name from one place are free; then the next attempt waits, longer each time.
LOGIN_ATTEMPTS = env.number("LOGIN_ATTEMPTS", 5, 1, 1000)
# A code from the phone beside the password; the groups whose people must have one.
TASKBOARD_TOTP = env.flag("TASKBOARD_TOTP", default=False)
TASKBOARD_TOTP_GROUPS = env.words("TASKBOARD_TOTP_GROUPS")
OTP_TOTP_ISSUER = "Taskboard"
OTP_ADMIN_HIDE_SENSITIVE_DATA = True
# Single sign-on by OpenID Connect; without an issuer it is off.
TASKBOARD_OIDC_ISSUER = env.text("TASKBOARD_OIDC_ISSUER")
TASKBOARD_OIDC_CLIENT_ID = env.text("TASKBOARD_OIDC_CLIENT_ID")
TASKBOARD_OIDC_CLIENT_SECRET = env.text("TASKBOARD_OIDC_CLIENT_SECRET")
TASKBOARD_OIDC_ALGORITHM = env.choice("TASKBOARD_OIDC_ALGORITHM", "RS256", ["RS256", "ES256"])
TASKBOARD_OIDC_SCOPES = env.text("TASKBOARD_OIDC_SCOPES", "openid profile email")
TASKBOARD_OIDC_NAME_CLAIM = env.text("TASKBOARD_OIDC_NAME_CLAIM", "preferred_username")
TASKBOARD_OIDC_GROUPS_CLAIM = env.text("TASKBOARD_OIDC_GROUPS_CLAIM", "groups")
TASKBOARD_OIDC_GROUPS = env.pairs("TASKBOARD_OIDC_GROUPS")
# Off: people come in by single sign-on alone, but for those few who are let in when it fails.
TASKBOARD_LOCAL_LOGIN = env.flag("TASKBOARD_LOCAL_LOGIN", default=True)
TASKBOARD_BREAK_GLASS = env.words("TASKBOARD_BREAK_GLASS")
login_check.check(
    PRODUCTION, TASKBOARD_OIDC_ISSUER, bool(TASKBOARD_OIDC_CLIENT_ID and TASKBOARD_OIDC_CLIENT_SECRET),
    TASKBOARD_LOCAL_LOGIN, [] if TASKBOARD_TOTP else TASKBOARD_TOTP_GROUPS,
)  # fmt: skip
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# The password that `manage.py createadmin` gives where nobody can be asked; nothing else reads it.
TASKBOARD_ADMIN_PASSWORD = env.text("TASKBOARD_ADMIN_PASSWORD")
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

# --- Django's parts -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "taskboard",
    "approvals",
    "taskboard.workflows.seo_audit",
    "django_htmx",
    "template_partials",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.Queries",
    "config.static.Middleware",
    "config.compression.Compressed",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.bearer.Tokens",
    "config.sessions.Turns",
    "config.sessions.Origin",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.Pages",
    "config.middleware.UserZone",
    "taskboard.login.guard.SecondFactor",
    "config.middleware.DomainErrors",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "taskboard.context_processors.platform",
                "approvals.context_processors.open_questions",
            ],
        },
    }
]

STATIC_URL = "static/"
STATIC_ROOT = TASKBOARD_VAR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns where there is none
STATICFILES_DIRS = [BASE_DIR / "static"]
_FILES = "taskboard.storage.AtomicFiles"
STORAGES = {
    "default": {"BACKEND": _FILES, "OPTIONS": {"location": str(TASKBOARD_VAR / "artifacts")}},
    "artifacts": {"BACKEND": _FILES, "OPTIONS": {"location": str(TASKBOARD_VAR / "artifacts")}},
    "archives": {"BACKEND": _FILES, "OPTIONS": {"location": str(TASKBOARD_VAR / "archives")}},
    "staticfiles": {"BACKEND": "config.static.Storage"},
}
WHITENOISE_USE_FINDERS = not PRODUCTION  # a fresh checkout looks right before `collectstatic`
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # half the files to compress; pages name no others

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = TASKBOARD_TIME_ZONE = env.zone("TASKBOARD_TIME_ZONE", "UTC")

DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logs.config(
    env.choice("LOG_LEVEL", "INFO", ["DEBUG", "INFO", "WARNING", "ERROR"]),
    as_json=PRODUCTION,
    errors_to_stdout=env.flag("LOG_ERRORS_TO_STDOUT", default=False),  # `make up` shows them on the terminal
)

# --- Mail -----------------------------------------------------------------------------------------

EMAIL_BACKEND = "taskboard.mail.FileBackend"
EMAIL_FILE_PATH = str(TASKBOARD_VAR / "mail")
EMAIL_TIMEOUT = 20
if _mail := env.text("EMAIL_URL"):
    if urlsplit(_mail).scheme not in {"smtp", "smtp+tls", "smtp+ssl", "consolemail"}:
        env.refuse("EMAIL_URL", _mail, "empty, consolemail://, or smtp+tls://user:password@host:587")
    vars().update(Env.email_url_config(_mail))
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "Taskboard <taskboard@localhost>")

# --- Celery: messages are hints, the database is the truth ----------------------------------------

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL") or "filesystem://localhost/"
_folders = CELERY_BROKER_URL.startswith("filesystem:")
if urlsplit(CELERY_BROKER_URL).scheme not in {
    "filesystem",
    "redis",
    "rediss",
    "unix",
    "amqp",
    "amqps",
    "memory",
}:
    env.refuse(
        "CELERY_BROKER_URL", CELERY_BROKER_URL, "empty (folders under TASKBOARD_VAR), redis:// or amqp://"
    )
CELERY_BROKER_TRANSPORT_OPTIONS = broker.options(CELERY_BROKER_URL, TASKBOARD_VAR / "broker")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not _folders  # its broadcasts would pile up as files
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_ACKS_LATE = False  # nothing depends on a message: the sweep finds what none announced
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(TASKBOARD_VAR / "beat-schedule")
CELERY_BEAT_MAX_LOOP_INTERVAL = 5

# --- Taskboard ------------------------------------------------------------------------------------

# How long a worker may be silent before its steps are taken from it.
TASKBOARD_LEASE_SECONDS = env.number("TASKBOARD_LEASE_SECONDS", 30, 1, 3600)
# How long one Celery job works on a task before the next message continues: far below any visibility timeout.
TASKBOARD_SLICE_SECONDS = env.number("TASKBOARD_SLICE_SECONDS", 5, 1, 300)
# A running task of which nothing was written for so long is shown to people as standing still.
TASKBOARD_STILL_MINUTES = env.number("TASKBOARD_STILL_MINUTES", 15, 1, 10_080)
# How many tasks run at once; the others wait in a queue whose order people may change.
TASKBOARD_MAX_RUNNING = env.number("TASKBOARD_MAX_RUNNING", 4, 1, 1000)
# How many tasks may wait; one more is refused with a sentence.
TASKBOARD_MAX_QUEUED = env.number("TASKBOARD_MAX_QUEUED", 100, 0, 100_000)
# Processes say every five seconds that they are alive; unheard for so long, a process counts as gone.
TASKBOARD_SILENT_SECONDS = env.number("TASKBOARD_SILENT_SECONDS", 30, 10, 86_400)
# Due work that nobody has begun, and decisions that nobody has picked up, for so long: that is said, and
# /readyz turns red.
TASKBOARD_STUCK_SECONDS = env.number("TASKBOARD_STUCK_SECONDS", 30, 5, 86_400)
# Folders that a browser user may name as a source; the bundled sample site is always allowed.
TASKBOARD_SOURCES = env.folders("TASKBOARD_SOURCES")
# Whether a source may be an address inside this network: off, or a person could read what only the server reaches.
TASKBOARD_ALLOW_PRIVATE_SOURCES = env.flag("TASKBOARD_ALLOW_PRIVATE_SOURCES", default=False)
# The tracker that tickets go to; empty: a ticket book under TASKBOARD_VAR.
TASKBOARD_TRACKER_URL = env.address("TASKBOARD_TRACKER_URL")
TASKBOARD_TRACKER_TOKEN = env.text("TASKBOARD_TRACKER_TOKEN")
# How long a mail about questions waits for others to join it.
TASKBOARD_MAIL_BUNDLE_SECONDS = env.number("TASKBOARD_MAIL_BUNDLE_SECONDS", 60, 0, 3600)
# Whether webhooks may lead to an address inside this network.
TASKBOARD_ALLOW_PRIVATE_WEBHOOKS = env.flag("TASKBOARD_ALLOW_PRIVATE_WEBHOOKS", default=False)
# For so long an answer given on a page can be taken back; only then it is handed over. 0: at once, and for good.
APPROVALS_UNDO_SECONDS = env.number("APPROVALS_UNDO_SECONDS", 5, 0, 60)
# How often a script may read with one token in a minute; each web process counts for itself.
TASKBOARD_TOKEN_REQUESTS_PER_MINUTE = env.number("TASKBOARD_TOKEN_REQUESTS_PER_MINUTE", 300, 1, 100_000)
# Whether expired tasks are purged by themselves, once a day at this time in TASKBOARD_TIME_ZONE.
TASKBOARD_AUTO_PURGE = env.flag("TASKBOARD_AUTO_PURGE", default=False)
TASKBOARD_AUTO_PURGE_AT = env.clock("TASKBOARD_AUTO_PURGE_AT", "02:30")
# Whether every purge, also an automatic one, needs the yes of another administrator than who asked for it.
TASKBOARD_PURGE_SECOND_PERSON = env.flag("TASKBOARD_PURGE_SECOND_PERSON", default=False)
# Who may read the figures for Prometheus besides administrators: whoever has this token, or asks from there.
TASKBOARD_METRICS_TOKEN = env.text("TASKBOARD_METRICS_TOKEN")
TASKBOARD_METRICS_ADDRESSES = env.networks("TASKBOARD_METRICS_ADDRESSES")
# Where links in mails lead to.
TASKBOARD_BASE_URL = env.address("TASKBOARD_BASE_URL", "http://127.0.0.1:8000")
